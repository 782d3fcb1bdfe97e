import {
  checkField,
  type ErrorList,
  forbidden,
  invalid,
  isDecimalInteger,
  isQualifiedName,
  isValidLabelValue,
  notSupported,
  type Path,
  quote,
  required,
} from '@coxswain/apimachinery';
import type { Toleration } from '../../../../generated/core/v1.ts';
import { checkSupported, printedAsJson, unlessSupported } from '../../checks.ts';
import type { PodValidationOptions } from '../validation-options.ts';

export type TolerationOptions = Partial<Pick<PodValidationOptions, 'allowTaintTolerationComparisonOperators'>>;

const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Validates the effect of a taint or toleration. */
export function validateTaintEffect(
  effect: string | undefined,
  allowEmpty: boolean,
  path: Path,
  errors: ErrorList = [],
): ErrorList {
  if (effect || allowEmpty) return unlessSupported(path, effect, taintEffects, errors);
  errors.push(required(path));
  return errors;
}

export function validateTolerations(
  tolerations: readonly Toleration[],
  path: Path,
  options: TolerationOptions = {},
  errors: ErrorList = [],
): ErrorList {
  for (let i = 0; i < tolerations.length; i++) validateToleration(tolerations[i]!, path.index(i), options, errors);
  return errors;
}

function validateToleration(toleration: Toleration, path: Path, options: TolerationOptions, errors: ErrorList): void {
  const { key, operator, effect, tolerationSeconds } = toleration;
  if (key) checkField(path, 'key', key, isQualifiedName, errors);
  else if (operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(path.child('operator'), printedAsJson(operator ?? ''), detail));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalid(path.child('effect'), printedAsJson(effect ?? ''), detail));
  }
  validateOperator(toleration, path, options, errors);
  if (effect) checkSupported(path, 'effect', effect, taintEffects, errors);
}

const operators = ['Equal', 'Exists'];

function validateOperator(
  { operator = 'Equal', value = '' }: Toleration,
  path: Path,
  { allowTaintTolerationComparisonOperators }: TolerationOptions,
  errors: ErrorList,
): void {
  switch (operator) {
    case 'Equal': {
      const messages = isValidLabelValue(value);
      if (messages.length > 0) errors.push(invalid(path.child('operator'), value, messages.join(';')));
      break;
    }
    case 'Exists':
      if (value) errors.push(invalid(path.child('operator'), value, "value must be empty when `operator` is 'Exists'"));
      break;
    case 'Lt':
    case 'Gt':
      if (!allowTaintTolerationComparisonOperators)
        errors.push(notSupported(path.child('operator'), operator, [...operators, 'Lt', 'Gt']));
      else {
        checkField(path, 'value', value, isDecimalInteger, errors);
        checkField(path, 'value', value, parseInt64Errors, errors);
      }
      break;
    default:
      checkSupported(path, 'operator', operator, operators, errors);
  }
}

/** Returns the error of Go's strconv.ParseInt for text that is not an int64. */
function parseInt64Errors(text: string): string[] {
  const failed = (why: string) => [`strconv.ParseInt: parsing ${quote(text)}: ${why}`];
  if (!/^[+-]?[0-9]+$/.test(text)) return failed('invalid syntax');
  return BigInt.asIntN(64, BigInt(text.replace('+', ''))) === BigInt(text.replace('+', ''))
    ? []
    : failed('value out of range');
}

const withoutSeconds = ({ key, operator, value, effect }: Toleration): string =>
  JSON.stringify([key, operator, value, effect]);

/** Validates an update, which may add tolerations and change tolerationSeconds of existing ones. */
export function validateOnlyAddedTolerations(
  tolerations: readonly Toleration[],
  old: readonly Toleration[],
  path: Path,
  options: TolerationOptions,
  errors: ErrorList,
): void {
  const present = new Set(tolerations.map(withoutSeconds));
  if (old.every((before) => present.has(withoutSeconds(before))))
    validateTolerations(tolerations, path, options, errors);
  else errors.push(forbidden(path, 'existing toleration can not be modified except its tolerationSeconds'));
}
