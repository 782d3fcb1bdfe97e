import { byteLength, type ErrorList, invalid, type Path, tooLong } from '@coxswain/apimachinery';

const maxParameters = 512;
const maxParametersSize = 256 * 1024;

/** Validates the number and size of parameters for a driver. */
export function validateParameters(parameters: Readonly<Record<string, string>> | undefined, path: Path): ErrorList {
  const keys = Object.keys(parameters ?? {});
  if (keys.length > maxParameters) return [tooLong(path, maxParameters)];
  return [
    ...(keys.includes('') ? [invalid(path, '', 'field can not be empty.')] : []),
    ...(sizeOf(parameters) > maxParametersSize ? [tooLong(path, maxParametersSize)] : []),
  ];
}

/** Returns the size of all keys and values in bytes. */
export function sizeOf(map: Readonly<Record<string, string>> | undefined): number {
  return Object.entries(map ?? {}).reduce((size, [key, value]) => size + byteLength(key) + byteLength(value), 0);
}
