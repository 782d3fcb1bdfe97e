import { isLongerThan } from './byte-length.ts';
import { maxLenError, regexError } from './messages.ts';

/** What a kind of string looks like and what to say to a string that does not. */
export interface StringFormat {
  /** Anchored at both ends when it is matched, and printed as it stands. Must not backtrack more than linearly. */
  readonly pattern: string;
  readonly message: string;
  readonly examples: readonly string[];
  readonly maxLength?: number;
  readonly lengthUnit?: 'characters' | 'bytes';
  readonly caseless?: boolean;
}

/** Checks a value and returns what is wrong with it: nothing for a good one. */
export type StringCheck = (value: string) => string[];

/** The part of a format that does not depend on length. */
export function matcher({ pattern, caseless }: Pick<StringFormat, 'pattern' | 'caseless'>): (value: string) => boolean {
  const expression = new RegExp(`^(?:${pattern})$`, caseless ? 'iu' : '');
  return (value) => expression.test(value);
}

/** Compiles a format to a check that reports length first, then form. `more` adds what a pattern cannot say. */
export function stringCheck(format: StringFormat, more?: (value: string, errors: string[]) => void): StringCheck {
  const { maxLength = Number.POSITIVE_INFINITY, lengthUnit, message, pattern, examples } = format;
  const matches = matcher(format);
  const formError = regexError(message, pattern, ...examples);
  return (value) => {
    const errors: string[] = [];
    if (isLongerThan(value, maxLength)) errors.push(maxLenError(maxLength, lengthUnit));
    if (!matches(value)) errors.push(formError);
    more?.(value, errors);
    return errors;
  };
}
