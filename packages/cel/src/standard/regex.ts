import { compileGoRegexp, type GoRegexp, GoRegexpError } from '@coxswain/apimachinery';
import { Work } from '../steps/steps.ts';
import { CelError } from '../values/values.ts';

/** Texts up to this length are searched at once, with patterns up to SMALL_REGEX. */
const SHORT_TEXT = 1024;
const SMALL_REGEX = 64;
/** The maximum length of a pattern: what can be compiled in about 20 ms. Differs from upstream, which has no limit. */
const MAX_PATTERN_LENGTH = 16_384;

/** Reports whether the text contains a match. Throws CelError with Go's message for an invalid pattern. */
export function matchesRegex(text: string, pattern: string): boolean | Work<boolean> {
  const regexp = compileRegex(pattern);
  const isQuick = text.length <= SHORT_TEXT && regexp.size <= SMALL_REGEX;
  return isQuick ? regexp.test(text) : new Work(regexp.testInSteps(text));
}

/** Compiles a pattern. Throws CelError with Go's message. */
export function compileRegex(pattern: string): GoRegexp {
  if (pattern.length > MAX_PATTERN_LENGTH) throw new CelError('operation cancelled: regular expression too large');
  try {
    return compileGoRegexp(pattern);
  } catch (error) {
    if (error instanceof GoRegexpError) throw new CelError(error.message);
    throw error;
  }
}

/** Returns Go's message if the pattern does not compile. */
export function regexProblem(pattern: string): string | undefined {
  try {
    compileRegex(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof CelError) return error.message;
    throw error;
  }
}
