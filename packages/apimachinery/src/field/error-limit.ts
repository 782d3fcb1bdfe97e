import { completed, type Steps } from '../steps/index.ts';
import type { ErrorList, FieldError } from './error.ts';

/** A client is told of no more. */
export const MAX_FIELD_ERRORS = 1000;

/** The errors made by the validator that runs now; undefined when its number of errors is not limited. */
let made: FieldError[] | undefined;

/** Ends a validator that has found enough. */
const enough = new Error('the object has too many problems');
// Nobody reads it, and it would hold the code of whatever loads this module.
enough.stack = '';

/** To be called with every error that is made. */
export function noteFieldError(error: FieldError): void {
  if (made === undefined) return;
  if (made.length >= MAX_FIELD_ERRORS) throw enough;
  made.push(error);
}

/**
 * Runs validators, which must be synchronous, and gives what they find. They are ended at the error after
 * MAX_FIELD_ERRORS: then the errors are those made until then, in the order they were made.
 *
 * Differs from upstream, which finds all: a request has room for a million mistakes, and to word one takes microseconds.
 */
export const withErrorLimit = (validate: () => ErrorList): ErrorList =>
  completed(withErrorLimitInSteps(inOneStep(validate)));

// biome-ignore lint/correctness/useYield: it is a single step.
function* inOneStep(validate: () => ErrorList): Steps<ErrorList> {
  return validate();
}

/** The same of a validator in steps. What others validate between the steps is counted for itself. */
export function* withErrorLimitInSteps(steps: Steps<ErrorList>): Steps<ErrorList> {
  const own: FieldError[] = [];
  for (;;) {
    let step: IteratorResult<undefined, ErrorList>;
    const outer = made;
    made ??= own;
    try {
      step = steps.next();
    } catch (error) {
      if (outer !== undefined || error !== enough) throw error;
      return own;
    } finally {
      made = outer;
    }
    if (step.done) return step.value;
    yield;
  }
}
