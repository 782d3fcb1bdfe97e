import {
  type ErrorList,
  forbidden,
  invalid,
  isDecimalInteger,
  isValidLabelValue,
  jsonEquals,
  notSupported,
  type Path,
  quote,
  required,
  validateLabelName,
} from '@coxswain/apimachinery';
import type { Toleration } from '../../../generated/core/v1.ts';
import { printedAsJson, unlessSupported } from './checks.ts';
import type { PodValidationOptions } from './validation-options.ts';

export type TolerationOptions = Partial<Pick<PodValidationOptions, 'allowTaintTolerationComparisonOperators'>>;

const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** The effect of a taint or of a toleration. */
export function validateTaintEffect(effect: string | undefined, allowEmpty: boolean, path: Path): ErrorList {
  if (!effect && !allowEmpty) return [required(path)];
  return unlessSupported(path, effect ?? '', taintEffects);
}

export function validateTolerations(
  tolerations: readonly Toleration[],
  path: Path,
  options: TolerationOptions = {},
): ErrorList {
  return tolerations.flatMap((toleration, i) => validateToleration(toleration, path.index(i), options));
}

function validateToleration(toleration: Toleration, path: Path, options: TolerationOptions): ErrorList {
  const { key, operator, effect, tolerationSeconds } = toleration;
  const errors: ErrorList = key ? validateLabelName(key, path.child('key')) : [];
  if (!key && operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(path.child('operator'), printedAsJson(operator ?? ''), detail));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalid(path.child('effect'), printedAsJson(effect ?? ''), detail));
  }
  errors.push(...validateOperator(toleration, path, options));
  if (effect) errors.push(...validateTaintEffect(effect, true, path.child('effect')));
  return errors;
}

function validateOperator(
  { operator = 'Equal', value = '' }: Toleration,
  path: Path,
  { allowTaintTolerationComparisonOperators }: TolerationOptions,
): ErrorList {
  const operatorPath = path.child('operator');
  switch (operator) {
    case 'Equal': {
      const messages = isValidLabelValue(value);
      return messages.length > 0 ? [invalid(operatorPath, value, messages.join(';'))] : [];
    }
    case 'Exists':
      return value ? [invalid(operatorPath, value, "value must be empty when `operator` is 'Exists'")] : [];
    case 'Lt':
    case 'Gt': {
      if (!allowTaintTolerationComparisonOperators)
        return [notSupported(operatorPath, operator, ['Equal', 'Exists', 'Lt', 'Gt'])];
      const messages = [...isDecimalInteger(value), ...parseInt64Errors(value)];
      return messages.map((message) => invalid(path.child('value'), value, message));
    }
    default:
      return unlessSupported(operatorPath, operator, ['Equal', 'Exists']);
  }
}

/** What Go's strconv.ParseInt says of a text that is no int64. */
function parseInt64Errors(text: string): string[] {
  const failed = (why: string) => [`strconv.ParseInt: parsing ${quote(text)}: ${why}`];
  if (!/^[+-]?[0-9]+$/.test(text)) return failed('invalid syntax');
  return BigInt.asIntN(64, BigInt(text.replace('+', ''))) === BigInt(text.replace('+', ''))
    ? []
    : failed('value out of range');
}

/** An update may add tolerations, and of those there were it may change only how long they hold. */
export function validateOnlyAddedTolerations(
  tolerations: readonly Toleration[],
  old: readonly Toleration[],
  path: Path,
  options: TolerationOptions,
): ErrorList {
  const withoutSeconds = ({ tolerationSeconds: _, ...rest }: Toleration) => rest;
  const kept = old.every((before) =>
    tolerations.some((toleration) => jsonEquals(withoutSeconds(toleration), withoutSeconds(before))),
  );
  return kept
    ? validateTolerations(tolerations, path, options)
    : [forbidden(path, 'existing toleration can not be modified except its tolerationSeconds')];
}
