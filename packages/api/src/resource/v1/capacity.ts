import { type ErrorList, forbidden, invalid, type Path, Quantity, required } from '@coxswain/apimachinery';
import type { CapacityRequestPolicy, CapacityRequestPolicyRange, DeviceCapacity } from '../../generated/resource/v1.ts';
import { validateSet } from './collections.ts';

const maxValidValues = 10;

/** Validates the request policy of a capacity, which is allowed only for devices with allowMultipleAllocations. */
export function validateCapacity({ value, requestPolicy }: DeviceCapacity, isShared: boolean, path: Path): ErrorList {
  if (!requestPolicy) return [];
  const policyPath = path.child('requestPolicy');
  return isShared
    ? validatePolicy(Quantity.parse(value ?? '0'), requestPolicy, policyPath)
    : [forbidden(policyPath, 'allowMultipleAllocations must be true')];
}

function validatePolicy(capacity: Quantity, policy: CapacityRequestPolicy, path: Path): ErrorList {
  const { default: byDefault, validValues = [], validRange } = policy;
  if (validValues.length > 0 && validRange) {
    const detail =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return [forbidden(path, detail)];
  }
  if (validValues.length === 0 && !validRange) return [];
  const field = validRange ? 'validRange' : 'validValues';
  if ((byDefault ?? undefined) === undefined)
    return [required(path.child('default'), `required when ${field} is defined`)];
  const standard = Quantity.parse(byDefault!);
  return validRange
    ? validateRange(standard, capacity, validRange, path.child(field))
    : validateValues(standard, capacity, validValues, path.child(field));
}

function validateValues(standard: Quantity, capacity: Quantity, texts: readonly string[], path: Path): ErrorList {
  const values = texts.map((text) => Quantity.parse(text));
  const errors: ErrorList = [];
  values.forEach((value, i) => {
    if (i > 0 && values[i - 1]!.cmp(value) > 0) {
      errors.push(invalid(path.index(i), value.toString(), 'values must be sorted in ascending order'));
    }
  });
  const validate = (value: Quantity, valuePath: Path) =>
    value.cmp(capacity) > 0
      ? [invalid(valuePath, value.toString(), `option is larger than capacity value: ${capacity}`)]
      : [];
  errors.push(...validateSet(values, maxValidValues, validate, (value) => String(value.scaledValue(0)), path));
  if (values.length > maxValidValues || !values.some((value) => value.cmp(standard) === 0)) {
    errors.push(invalid(path, standard.toString(), 'default value is not valid according to the requestPolicy'));
  }
  return errors;
}

function validateRange(
  standard: Quantity,
  capacity: Quantity,
  range: CapacityRequestPolicyRange,
  path: Path,
): ErrorList {
  if ((range.min ?? undefined) === undefined) {
    return [required(path.child('min'), 'required when validRange is defined')];
  }
  const errors: ErrorList = [];
  const min = Quantity.parse(range.min);
  const max = range.max === undefined ? undefined : Quantity.parse(range.max);
  const complain = (field: string, value: Quantity, detail: string) =>
    errors.push(invalid(path.child(field), value.toString(), detail));
  if (min.cmp(capacity) > 0) complain('min', min, `min is larger than capacity value: ${capacity}`);
  if (standard.cmp(min) < 0) complain('min', standard, `default is less than min: ${min}`);
  if (max) {
    if (min.cmp(max) > 0) complain('max', min, `min is larger than max: ${max}`);
    if (max.cmp(capacity) > 0) complain('max', max, `max is larger than capacity value: ${capacity}`);
    if (standard.cmp(max) > 0) complain('max', standard, `default is more than max: ${max}`);
  }
  if (range.step === undefined) return errors;
  const step = Quantity.parse(range.step);
  const first = min.add(step);
  if (first.cmp(capacity) > 0) complain('step', step, `one step ${first} is larger than capacity value: ${capacity}`);
  for (const value of max ? [standard, max] : [standard]) {
    if (!isOnStep(value, min, step)) {
      complain('step', value, `value is not a multiple of a given step (${step}) from (${min})`);
    }
  }
  return errors;
}

/** Reports whether a value is on a step from the minimum. Computes with whole units, as upstream. */
function isOnStep(value: Quantity, min: Quantity, step: Quantity): boolean {
  const width = step.scaledValue(0);
  // Differs from upstream, whose server panics on a step of zero.
  if (width === 0n) return value.cmp(min) === 0;
  return (value.scaledValue(0) - min.scaledValue(0)) % width === 0n;
}
