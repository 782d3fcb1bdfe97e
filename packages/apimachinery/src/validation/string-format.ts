import { isLongerThan } from './byte-length.ts';
import { maxLenError, regexError } from './messages.ts';

/** A format of strings, and the message for strings that do not have it. */
export interface StringFormat {
  /**
   * The regular expression in the message. Unless there is `matches`, a string is matched against it from end to end. Must not backtrack
   * more than linearly.
   */
  readonly pattern: string;
  /**
   * Replaces the match of `pattern`. For formats that are checked often, and for patterns that repeat a group: those overflow the stack
   * on megabytes.
   */
  readonly matches?: (value: string) => boolean;
  readonly message: string;
  readonly examples: readonly string[];
  readonly maxLength?: number;
  readonly lengthUnit?: 'characters' | 'bytes';
}

/** Returns the problems of a value; none for a valid one. */
export type StringCheck = (value: string) => string[];

/** Returns a test whether the whole of a value matches a pattern. */
export function matcher(pattern: string): (value: string) => boolean {
  const expression = new RegExp(`^(?:${pattern})$`);
  return (value) => expression.test(value);
}

/** Compiles a format to a check that reports length first, then form. `more` adds errors that a pattern cannot express. */
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
