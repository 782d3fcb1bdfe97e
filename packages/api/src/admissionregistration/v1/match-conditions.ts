import { duplicate, type ErrorList, type Path, required, tooMany, validateLabelName } from '@coxswain/apimachinery';
import type { MatchCondition } from '../../generated/admissionregistration/v1.ts';

const maxMatchConditions = 64;

/** Conditions by name; what their expressions mean is not looked at. */
export function validateMatchConditions(conditions: readonly MatchCondition[] | undefined, path: Path): ErrorList {
  const errors: ErrorList = [];
  if (!conditions) return errors;
  if (conditions.length > maxMatchConditions) errors.push(tooMany(path, conditions.length, maxMatchConditions));
  const names = new Set<string>();
  conditions.forEach(({ name, expression }, i) => {
    if (!expression?.trim()) errors.push(required(path.index(i).child('expression')));
    if (!name) errors.push(required(path.index(i).child('name')));
    else {
      errors.push(...validateLabelName(name, path.index(i).child('name')));
      if (names.has(name)) errors.push(duplicate(path.index(i).child('name'), name));
      names.add(name);
    }
  });
  return errors;
}
