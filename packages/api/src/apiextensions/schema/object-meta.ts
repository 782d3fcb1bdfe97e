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
  /** As the type says: no other fields, zero values left out. */
  readonly metadata: ObjectMeta;
  /** Paths below the metadata of fields that it does not have. */
  readonly unknown: readonly string[];
}

/**
 * Reads metadata as the server does; throws with its message when a field has the wrong type. `dropInvalid`: such a
 * field is left out instead, and only metadata that is no object is refused.
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

/** The Go type that decoded JSON has, of what is no object. */
function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Number.isInteger(value) || typeof value === 'bigint' ? 'int64' : 'float64';
}
