import {
  compileNormalizer,
  findStrictErrors,
  isJsonObject,
  type Normalizer,
  type ObjectMeta,
  type StructSchema,
  setOwnEntry,
  stringifyJson,
} from '@coxswain/apimachinery';
import { Catalogue } from '../../catalogue/catalogue.ts';

let compiled: { readonly schema: StructSchema; readonly normalize: Normalizer } | undefined;

function objectMeta(): { readonly schema: StructSchema; readonly normalize: Normalizer } {
  if (!compiled) {
    const schema = Catalogue.builtIn().type('meta.v1.ObjectMeta');
    compiled = { schema, normalize: compileNormalizer(schema) };
  }
  return compiled;
}

export interface ReadMetadata {
  /** With the fields of ObjectMeta only; zero values are omitted. */
  readonly metadata: ObjectMeta;
  /** Paths of unknown fields, relative to the metadata. */
  readonly unknown: readonly string[];
}

/**
 * Decodes metadata as the server does. Throws with upstream's message when a field has the wrong type. With
 * `dropInvalid` it omits such fields and throws only when the metadata is not an object.
 */
export function readObjectMeta(value: unknown, dropInvalid = false): ReadMetadata {
  try {
    return read(value);
  } catch (error) {
    if (!dropInvalid) throw error;
    if (!isJsonObject(value)) throw new Error(`invalid metadata: expected object, got ${goType(value)}`);
    const valid: Record<string, unknown> = {};
    for (const [key, field] of Object.entries(value)) if (isReadable({ [key]: field })) setOwnEntry(valid, key, field);
    return read(valid);
  }
}

function read(value: unknown): ReadMetadata {
  const { schema, normalize } = objectMeta();
  const { object, hasUnknownFields } = normalize(value ?? {});
  const { creationTimestamp, ...rest } = object;
  const metadata = (creationTimestamp === null ? rest : object) as ObjectMeta;
  return { metadata, unknown: hasUnknownFields ? unknownFields(value, schema) : [] };
}

function isReadable(value: unknown): boolean {
  try {
    objectMeta().normalize(value);
    return true;
  } catch {
    return false;
  }
}

const unknownFields = (value: unknown, schema: StructSchema): string[] =>
  findStrictErrors(stringifyJson(value), schema).flatMap((text) => /^unknown field "(.*)"$/.exec(text)?.[1] ?? []);

/** Returns the Go type of a decoded JSON value that is not an object. */
function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Number.isInteger(value) || typeof value === 'bigint' ? 'int64' : 'float64';
}
