import type { ValidationRule } from '@coxswain/api/apiextensions/v1';
import { duplicate, type FieldError, forbidden, invalid, type Path, required } from '@coxswain/apimachinery';
import type { CelError } from '@coxswain/cel';

export const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run';

/** Whether an evaluation was stopped at its cost limit. */
export const isCostLimit = (error: CelError | undefined): boolean =>
  error?.message.startsWith('operation cancelled: actual cost limit exceeded') === true;

/** The text that identifies a rule in error messages. */
const ruleText = ({ rule = '', message }: ValidationRule): string => (message ? message.trim() : rule.trim());

/** The message for values that violate a rule. */
export const messageOf = (source: ValidationRule): string =>
  source.message ? source.message.trim() : `failed rule: ${ruleText(source)}`;

/** The error for a value that violates a rule. */
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

/** The error for a rule that could not be evaluated. */
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
