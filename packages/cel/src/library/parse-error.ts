import { CelError } from '../values/values.ts';

/** Runs a parser and converts its Error to a CelError. */
export function asCelError<T>(parse: () => T, message: (problem: string) => string): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Error) throw new CelError(message(error.message));
    throw error;
  }
}

/** Reports whether a parser succeeds. */
export function accepts(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof CelError || error instanceof Error) return false;
    throw error;
  }
}
