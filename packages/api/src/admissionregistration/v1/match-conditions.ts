import { duplicate, type ErrorList, type Path, required, tooMany, validateLabelName } from '@coxswain/apimachinery';
import type { MatchCondition } from '../../generated/admissionregistration/v1.ts';
import type { ExpressionErrors } from '../../strategy/strategy.ts';

const maxMatchConditions = 64;

/** Validates match conditions. `expressions` holds the errors of their CEL expressions. */
export function validateMatchConditions(
  conditions: readonly MatchCondition[] | undefined,
  path: Path,
  expressions: ExpressionErrors | undefined,
): ErrorList {
  const errors: ErrorList = [];
  if (!conditions) return errors;
  if (conditions.length > maxMatchConditions) errors.push(tooMany(path, conditions.length, maxMatchConditions));
  const names = new Set<string>();
  conditions.forEach(({ name, expression }, i) => {
    const field = path.index(i).child('expression');
    if (!expression?.trim()) errors.push(required(field));
    else errors.push(...expressionErrors(expressions, field));
    if (!name) errors.push(required(path.index(i).child('name')));
    else {
      errors.push(...validateLabelName(name, path.index(i).child('name')));
      if (names.has(name)) errors.push(duplicate(path.index(i).child('name'), name));
      names.add(name);
    }
  });
  return errors;
}

/** Returns the error of the expression in that field, or none. */
export function expressionErrors(expressions: ExpressionErrors | undefined, field: Path): ErrorList {
  const error = expressions?.get(field.toString());
  return error ? [error] : [];
}
