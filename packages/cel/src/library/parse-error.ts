import { CelError } from '../values/values.ts';

/** Turns what a parser throws into an error of the evaluation. */
export function asCelError<T>(parse: () => T, message: (problem: string) => string): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Error) throw new CelError(message(error.message));
    throw error;
  }
}

/** Whether a parser takes a text. */
export function accepts(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof CelError || error instanceof Error) return false;
    throw error;
  }
}
