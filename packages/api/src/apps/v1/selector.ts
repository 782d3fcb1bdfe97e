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

/** Returns a selector as messages print it: fields and labels in a fixed order. */
export const printableSelector = (selector: LabelSelector | undefined): object | undefined =>
  selector && selectorForm(selector);

/** Returns the parsed selector; undefined when it is invalid. An absent selector selects nothing. */
export function selectorOf(selector: LabelSelector | undefined): labels.Selector | undefined {
  try {
    return labels.labelSelectorAsSelector(selector ?? undefined);
  } catch {
    return undefined;
  }
}

export const isEmptySelector = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean =>
  Object.keys(matchLabels).length + matchExpressions.length === 0;

/** Validates a controller's selector, which must be present and not empty. `owner` is the controller's name in the message. */
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
