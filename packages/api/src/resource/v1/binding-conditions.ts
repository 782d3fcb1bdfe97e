import { duplicate, type ErrorList, invalid, type Path, repeated, validateLabelName } from '@coxswain/apimachinery';
import { validateSlice } from './collections.ts';

const maxConditions = 4;

interface BindingConditions {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

/** Validates the conditions that a pod's binding waits for, and those that abort it. Either both lists or none must be set. */
export function validateBindingConditions(given: BindingConditions, path: Path): ErrorList {
  const { bindingConditions: success = [], bindingFailureConditions: failure = [] } = given;
  const successPath = path.child('bindingConditions');
  const failurePath = path.child('bindingFailureConditions');
  const errors = [
    ...validateSlice(success, maxConditions, validateLabelName, successPath),
    ...validateSlice(failure, maxConditions, validateLabelName, failurePath),
  ];
  const isRepeated = { success: repeated(success), failure: repeated(failure) };
  const succeeds = new Set(success);
  success.forEach((condition, i) => {
    if (isRepeated.success[i]) errors.push(duplicate(successPath.index(i), condition));
  });
  failure.forEach((condition, i) => {
    if (isRepeated.failure[i]) errors.push(duplicate(failurePath.index(i), condition));
    if (succeeds.has(condition)) {
      const detail = 'bindingFailureConditions must not overlap with bindingConditions';
      errors.push(invalid(failurePath.index(i), condition, detail));
    }
  });
  if (success.length === 0 && failure.length > 0) {
    const detail = 'bindingConditions are required to use bindingFailureConditions';
    errors.push(invalid(successPath, undefined, detail));
  }
  if (failure.length === 0 && success.length > 0) {
    const detail = 'bindingFailureConditions are required to use bindingConditions';
    errors.push(invalid(failurePath, undefined, detail));
  }
  return errors;
}
