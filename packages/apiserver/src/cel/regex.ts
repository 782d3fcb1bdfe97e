import { compileGoRegexp, GoRegexpBudgetError, GoRegexpError, StepBudget } from '@coxswain/apimachinery';
import { CelError } from './values.ts';

/** About 20 ms of one search. Differs from upstream: it goes on for as long as it takes. */
const MAX_STEPS = 500_000;

/** Whether the text has a part that the expression describes. Throws CelError with Go's message for a bad pattern. */
export function matchesRegex(text: string, pattern: string): boolean {
  try {
    return compileGoRegexp(pattern).test(text, new StepBudget(MAX_STEPS));
  } catch (error) {
    if (error instanceof GoRegexpError) throw new CelError(error.message);
    if (error instanceof GoRegexpBudgetError) throw new CelError(`operation cancelled: ${error.message}`);
    throw error;
  }
}

/** Go's message if the pattern does not compile. */
export function regexProblem(pattern: string): string | undefined {
  try {
    compileGoRegexp(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof GoRegexpError) return error.message;
    throw error;
  }
}
