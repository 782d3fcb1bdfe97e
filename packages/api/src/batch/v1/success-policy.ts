import {
  type ErrorList,
  invalid,
  isLongerThan,
  type Path,
  required,
  tooLong,
  tooMany,
  validateNonnegativeField,
} from '@coxswain/apimachinery';
import type { JobSpec, SuccessPolicyRule } from '../../generated/batch/v1.ts';
import { countIndexes } from './job-indexes.ts';

const max = { rules: 20, indexesBytes: 64 * 1024 };

/** Validates the success policy of an indexed Job. Missing completions count as 0 here and are reported elsewhere. */
export function validateSuccessPolicy({ successPolicy, completions = 0 }: JobSpec, path: Path): ErrorList {
  const rules = successPolicy?.rules ?? [];
  const rulesPath = path.child('rules');
  const errors: ErrorList = [];
  if (rules.length === 0)
    errors.push(required(rulesPath, 'at least one rules must be specified when the successPolicy is specified'));
  if (rules.length > max.rules) errors.push(tooMany(rulesPath, rules.length, max.rules));
  rules.forEach((rule, i) => {
    errors.push(...validateRule(rule, completions, rulesPath.index(i)));
  });
  return errors;
}

function validateRule(
  { succeededCount, succeededIndexes }: SuccessPolicyRule,
  completions: number,
  path: Path,
): ErrorList {
  const errors: ErrorList = [];
  let indexes = 0;
  if (succeededIndexes !== undefined) {
    const at = path.child('succeededIndexes');
    if (isLongerThan(succeededIndexes, max.indexesBytes)) errors.push(tooLong(at, max.indexesBytes));
    try {
      indexes = countIndexes(succeededIndexes, completions);
    } catch (error) {
      const reason = error instanceof Error ? error.message : error;
      errors.push(invalid(at, succeededIndexes, `error parsing succeededIndexes: ${reason}`));
    }
  } else if (succeededCount === undefined) {
    errors.push(required(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  if (succeededCount === undefined) return errors;
  const at = path.child('succeededCount');
  const atMost = (limit: number, what: string): void => {
    if (succeededCount > limit)
      errors.push(invalid(at, succeededCount, `must be less than or equal to ${limit} (the number of ${what})`));
  };
  errors.push(...validateNonnegativeField(succeededCount, at));
  atMost(completions, 'specified completions');
  if (succeededIndexes !== undefined) atMost(indexes, 'indexes in the specified succeededIndexes field');
  return errors;
}
