import { isLongerThan } from './byte-length.ts';
import { maxLenError, regexError } from './messages.ts';

/** What a kind of string looks like and what to say to a string that does not. */
export interface StringFormat {
  /** Printed as it stands, and matched from end to end unless `matches` does that. Must not backtrack more than linearly. */
  readonly pattern: string;
  /** For formats that are checked often, and for patterns that repeat a group: on megabytes those overflow the stack. */
  readonly matches?: (value: string) => boolean;
  readonly message: string;
  readonly examples: readonly string[];
  readonly maxLength?: number;
  readonly lengthUnit?: 'characters' | 'bytes';
}

/** Checks a value and returns what is wrong with it: nothing for a good one. */
export type StringCheck = (value: string) => string[];

/** Whether the whole of a value matches a pattern. */
export function matcher(pattern: string): (value: string) => boolean {
  const expression = new RegExp(`^(?:${pattern})$`);
  return (value) => expression.test(value);
}

/** Compiles a format to a check that reports length first, then form. `more` adds what a pattern cannot say. */
export function stringCheck(format: StringFormat, more?: (value: string, errors: string[]) => void): StringCheck {
  const { maxLength = Number.POSITIVE_INFINITY, lengthUnit, message, pattern, examples } = format;
  const matches = format.matches ?? matcher(pattern);
  const formError = regexError(message, pattern, ...examples);
  return (value) => {
    const errors: string[] = [];
    if (isLongerThan(value, maxLength)) errors.push(maxLenError(maxLength, lengthUnit));
    if (!matches(value)) errors.push(formError);
    if (more) more(value, errors);
    return errors;
  };
}
