import { parseJson } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';

/** Thrown for text that is not the expected JSON, with Go's message. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
}

/**
 * Parses JSON text inside an object. Returns undefined for null, which Go decodes to the type's zero value. Throws
 * JsonTextError when it is not JSON, or its type is not `goType`, which `isType` checks.
 */
export function readJsonText<T>(
  text: string | Uint8Array,
  goType: string,
  isType: (value: unknown) => value is T,
): T | undefined {
  const value = parse(text);
  if (value === null) return undefined;
  if (isType(value)) return value;
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw new JsonTextError(`json: cannot unmarshal ${type} into Go value of type ${goType}`);
}

function parse(text: string | Uint8Array): unknown {
  try {
    return parseJson(text).value;
  } catch (cause) {
    throw new JsonTextError(messageOf(cause), { cause });
  }
}
