import {
  type ErrorList,
  invalid,
  isJsonObject,
  isLongerThan,
  type Path,
  required,
  tooLong,
} from '@coxswain/apimachinery';
import { writeJson } from '@coxswain/apimachinery/codec/json';
import type { DeviceConfiguration, DeviceSelector } from '../../generated/resource/v1.ts';
import { validateSlice } from './collections.ts';
import { validateDriverName } from './names.ts';

const maxDataLength = 10 * 1024;
export const maxConfigs = 32;
const maxSelectors = 32;

/** Validates selectors. Their CEL expressions are not compiled. */
export function validateSelectors(selectors: readonly DeviceSelector[] | undefined, path: Path): ErrorList {
  return validateSlice(
    selectors,
    maxSelectors,
    ({ cel }, selectorPath) => {
      if (!cel) return [required(selectorPath.child('cel'))];
      const expressionPath = selectorPath.child('cel', 'expression');
      return isLongerThan(cel.expression ?? '', maxDataLength) ? [tooLong(expressionPath, maxDataLength)] : [];
    },
    path,
  );
}

/** Validates the configuration for a driver. Stored data may exceed the size limit. */
export function validateConfiguration({ opaque }: DeviceConfiguration, path: Path, isStored = false): ErrorList {
  if (!opaque) return [required(path.child('opaque'))];
  return [
    ...validateDriverName(opaque.driver, path.child('opaque', 'driver')),
    ...validateRawObject(opaque.parameters, path.child('opaque', 'parameters'), isStored),
  ];
}

/** Validates a JSON object of limited size. */
export function validateRawObject(value: unknown, path: Path, isStored = false): ErrorList {
  if (value === undefined || value === null) return [required(path)];
  if (!isStored && isLongerThan(writeJson(value), maxDataLength)) return [tooLong(path, maxDataLength)];
  return isJsonObject(value) ? [] : [invalid(path, '<value omitted>', 'must be a valid JSON object')];
}
