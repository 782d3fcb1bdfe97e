import { parseJson } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';

/** A text that is not the JSON it should be, in Go's words. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
}

/**
 * The value that a JSON text inside an object holds; undefined for null, which Go takes for the type's zero value.
 * Throws JsonTextError when it is no JSON, or is of another type than `goType`, which `isType` recognizes.
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
