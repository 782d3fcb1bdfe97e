import { compileGoRegexp, type GoRegexp, GoRegexpError } from '@coxswain/apimachinery';
import { Work } from '../steps/steps.ts';
import { CelError } from '../values/values.ts';

/** Texts up to this length are searched at once with expressions up to some size. */
const SHORT_TEXT = 1024;
const SMALL_REGEX = 64;
/** Differs from upstream, which compiles longer ones too: this is what can be compiled in some 20 ms. */
const MAX_PATTERN_LENGTH = 16_384;

/** Whether the text has a part that the expression describes. Throws CelError with Go's message for a bad pattern. */
export function matchesRegex(text: string, pattern: string): boolean | Work<boolean> {
  const regexp = compileRegex(pattern);
  const isQuick = text.length <= SHORT_TEXT && regexp.size <= SMALL_REGEX;
  return isQuick ? regexp.test(text) : new Work(regexp.testInSteps(text));
}

/** The compiled pattern. Throws CelError with Go's message. */
export function compileRegex(pattern: string): GoRegexp {
  if (pattern.length > MAX_PATTERN_LENGTH) throw new CelError('operation cancelled: regular expression too large');
  try {
    return compileGoRegexp(pattern);
  } catch (error) {
    if (error instanceof GoRegexpError) throw new CelError(error.message);
    throw error;
  }
}

/** Go's message if the pattern does not compile. */
export function regexProblem(pattern: string): string | undefined {
  try {
    compileRegex(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof CelError) return error.message;
    throw error;
  }
}
