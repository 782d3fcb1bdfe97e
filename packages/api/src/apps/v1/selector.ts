import {
  type ErrorList,
  fieldImmutableErrorMessage,
  invalid,
  type LabelSelector,
  labels,
  type Path,
  required,
  semanticEqual,
  validateLabelSelector,
} from '@coxswain/apimachinery';
import { selectorForm } from '../../strategy/internal-form.ts';

/** A selector as messages print it: fields and labels in a fixed order. */
export const printableSelector = (selector: LabelSelector | undefined): object | undefined =>
  selector && selectorForm(selector);

/** What selects labels; undefined when the selector is not valid. No selector at all selects nothing. */
export function selectorOf(selector: LabelSelector | undefined): labels.Selector | undefined {
  try {
    return labels.labelSelectorAsSelector(selector ?? undefined);
  } catch {
    return undefined;
  }
}

export const isEmptySelector = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean =>
  Object.keys(matchLabels).length + matchExpressions.length === 0;

/** A controller must select, and select something. `owner` is what the message calls the controller. */
export function validateControllerSelector(selector: LabelSelector | undefined, owner: string, path: Path): ErrorList {
  if (!selector) return [required(path)];
  const errors = validateLabelSelector(selector, {}, path);
  if (isEmptySelector(selector)) errors.push(invalid(path, {}, `empty selector is invalid for ${owner}`));
  return errors;
}

export const validateImmutableSelector = (
  selector: LabelSelector | undefined,
  old: LabelSelector | undefined,
  path: Path,
): ErrorList =>
  semanticEqual(selector, old) ? [] : [invalid(path, printableSelector(selector), fieldImmutableErrorMessage)];
