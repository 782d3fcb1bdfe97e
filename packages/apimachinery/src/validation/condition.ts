import { duplicate, type ErrorList, invalid, notSupported, type Path, required, tooLong } from '../field/index.ts';
import { isLongerThan } from './byte-length.ts';
import { validateLabelName } from './labels.ts';
import { stringCheck } from './string-format.ts';

/** A decoded condition. Its status may be any text. */
interface UncheckedCondition {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number | bigint;
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}

const statuses = ['False', 'True', 'Unknown'];
const maxReasonLength = 1024;
const maxMessageLength = 32 * 1024;

const isConditionReason = stringCheck({
  pattern: '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?',
  message:
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  examples: ['my_name', 'MY_NAME', 'MyName', 'ReasonA,ReasonB', 'ReasonA:ReasonB'],
});

/** Validates each condition, and that no type occurs twice. */
export function validateConditions(conditions: readonly UncheckedCondition[] | undefined, path: Path): ErrorList {
  const errors: ErrorList = [];
  const seen = new Set<string>();
  conditions?.forEach((condition, i) => {
    const { type = '' } = condition;
    if (seen.has(type)) errors.push(duplicate(path.index(i).child('type'), type));
    seen.add(type);
    errors.push(...validateCondition(condition, path.index(i)));
  });
  return errors;
}

export function validateCondition(condition: UncheckedCondition, path: Path): ErrorList {
  const { type = '', status = '', observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition;
  const errors = validateLabelName(type, path.child('type'));
  if (!statuses.includes(status)) errors.push(notSupported(path.child('status'), status, statuses));
  if (observedGeneration < 0) {
    errors.push(invalid(path.child('observedGeneration'), observedGeneration, 'must be greater than or equal to zero'));
  }
  if (!lastTransitionTime) errors.push(required(path.child('lastTransitionTime')));
  if (reason === '') errors.push(required(path.child('reason')));
  else {
    for (const problem of isConditionReason(reason)) errors.push(invalid(path.child('reason'), reason, problem));
    if (isLongerThan(reason, maxReasonLength)) errors.push(tooLong(path.child('reason'), maxReasonLength));
  }
  if (isLongerThan(message, maxMessageLength)) errors.push(tooLong(path.child('message'), maxMessageLength));
  return errors;
}
