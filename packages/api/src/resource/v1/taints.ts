import {
  type ErrorList,
  invalid,
  isValidLabelValue,
  notSupported,
  type Path,
  required,
  validateLabelName,
} from '@coxswain/apimachinery';
import type { DeviceTaint, DeviceToleration } from '../../generated/resource/v1.ts';

const effects = ['NoExecute', 'NoSchedule', 'None'];
const operators = ['Equal', 'Exists'];

const validateLabelValue = (value: string, path: Path): ErrorList =>
  isValidLabelValue(value).map((problem) => invalid(path, value, problem));

/** Validates a taint of a device. An unchanged effect is not validated. */
export function validateDeviceTaint(taint: DeviceTaint, old: DeviceTaint | undefined, path: Path): ErrorList {
  const { key = '', value, effect } = taint;
  const errors = validateLabelName(key, path.child('key'));
  if (value) errors.push(...validateLabelValue(value, path.child('value')));
  if (old && (old.effect || '') === (effect || '')) return errors;
  if (!effect) errors.push(required(path.child('effect')));
  else if (!effects.includes(effect)) errors.push(notSupported(path.child('effect'), effect, effects));
  return errors;
}

export function validateDeviceToleration(toleration: DeviceToleration, path: Path): ErrorList {
  const { key, operator, value = '', effect } = toleration;
  const errors = key ? validateLabelName(key, path.child('key')) : [];
  if (operator === 'Exists') {
    if (value) errors.push(invalid(path.child('value'), value, 'must be empty for operator `Exists`'));
  } else if (operator === 'Equal') errors.push(...validateLabelValue(value, path.child('value')));
  else if (!operator) errors.push(required(path.child('operator')));
  else errors.push(notSupported(path.child('operator'), operator, operators));
  if (effect && !effects.includes(effect)) errors.push(notSupported(path.child('effect'), effect, effects));
  return errors;
}
