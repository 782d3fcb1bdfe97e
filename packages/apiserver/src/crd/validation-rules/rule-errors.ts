import type { ValidationRule } from '@coxswain/api/apiextensions/v1';
import { duplicate, type FieldError, forbidden, invalid, type Path, required } from '@coxswain/apimachinery';
import type { CelError } from '@coxswain/cel';

export const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run';

/** Whether an evaluation ended because it cost too much. */
export const isCostLimit = (error: CelError | undefined): boolean =>
  error?.message.startsWith('operation cancelled: actual cost limit exceeded') === true;

/** What rules say of themselves in errors of their own. */
const ruleText = ({ rule = '', message }: ValidationRule): string => (message ? message.trim() : rule.trim());

/** The message that a rule has for values that it does not hold for. */
export const messageOf = (source: ValidationRule): string =>
  source.message ? source.message.trim() : `failed rule: ${ruleText(source)}`;

/** A rule that does not hold. */
export function errorOf(
  { reason }: ValidationRule,
  path: Path | undefined,
  value: unknown,
  detail: string,
): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(path, detail);
    case 'FieldValueRequired':
      return required(path, detail);
    case 'FieldValueDuplicate':
      return duplicate(path, value);
    default:
      return invalid(path, value, detail);
  }
}

/** A rule that could not be evaluated. */
export function evaluationError(
  path: Path | undefined,
  type: string,
  error: string,
  source: ValidationRule,
): FieldError {
  const about = ruleText(source);
  if (error.startsWith('no such overload')) {
    const detail = `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${about}`;
    return invalid(path, type, detail);
  }
  if (isCostLimit({ message: error })) {
    const detail = `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${about}`;
    return invalid(path, type, detail);
  }
  return invalid(path, type, `${error} evaluating rule: ${about}`);
}
