import { isJsonObject } from '../json/own-entry.ts';
import { GroupVersion, GroupVersionKind } from '../meta/group-version.ts';
import { MissingKindError, MissingVersionError, NotRegisteredError } from '../runtime/scheme-errors.ts';
import { describeJson } from '../schema/canonical-scalar.ts';
import { DecodeError } from '../schema/decode-error.ts';
import { compileNormalizer } from '../schema/normalizer.ts';
import { NumberLiteral } from '../schema/number-literal.ts';
import type { StructSchema } from '../schema/schema.ts';
import { orDecodeFailure } from './decode-failure.ts';
import type { Decoded, DecodeOptions, KindLookup } from './serializer.ts';
import type { Steps } from '../steps/index.ts';

/** A parsed document with access to its text. */
export interface JsonDocument {
  readonly value: unknown;
  readonly literals: boolean;
  /** Returns the text, for error messages. */
  text(): string;
  /** Returns the errors of strict decoding. */
  strictErrors(schema: StructSchema | undefined, hasUnknownFields: boolean): readonly string[];
}

/** Decodes a parsed document: determines its kind and converts it to canonical form. Throws DecodeFailure. */
export function decodeDocument(lookup: KindLookup, document: JsonDocument, options: DecodeOptions = {}): Decoded {
  const gvk = kindOf(document, options);
  return orDecodeFailure(gvk, () => {
    const made = objectOf(lookup, document, gvk, options);
    return { object: made.object, gvk, strictErrors: mistakesIn(document, made, options) };
  });
}

/** Like `decodeDocument`, in steps. */
export function* decodeDocumentInSteps(
  lookup: KindLookup,
  document: JsonDocument,
  options: DecodeOptions = {},
): Steps<Decoded> {
  const gvk = kindOf(document, options);
  yield;
  const made = orDecodeFailure(gvk, () => objectOf(lookup, document, gvk, options));
  yield;
  return { object: made.object, gvk, strictErrors: orDecodeFailure(gvk, () => mistakesIn(document, made, options)) };
}

const kindOf = (document: JsonDocument, { defaultGVK }: DecodeOptions): GroupVersionKind =>
  withDefaults(
    orDecodeFailure(undefined, () => interpret(document.value)),
    defaultGVK,
  );

interface MadeObject {
  readonly object: Decoded['object'];
  /** Absent for unstructured objects. */
  readonly schema?: StructSchema;
  readonly hasUnknownFields: boolean;
}

function objectOf(
  lookup: KindLookup,
  document: JsonDocument,
  gvk: GroupVersionKind,
  { unstructured = false }: DecodeOptions,
): MadeObject {
  if (gvk.kind === '') throw new MissingKindError(document.text());
  if (unstructured) {
    if (!isJsonObject(document.value)) throw new MissingKindError(document.text());
    return { object: withType(document.value, gvk), hasUnknownFields: false };
  }
  const schema = resolveKind(lookup, gvk, () => document.text());
  const { object, hasUnknownFields } = compileNormalizer(schema)(document.value, { literals: document.literals });
  return { object: withType(object, gvk), schema, hasUnknownFields };
}

const mistakesIn = (
  document: JsonDocument,
  { schema, hasUnknownFields }: MadeObject,
  { strict = false }: DecodeOptions,
): readonly string[] => (strict ? document.strictErrors(schema, hasUnknownFields) : []);

/** Returns the schema of a kind. Throws upstream's error when the kind is incomplete or unknown. */
export function resolveKind(lookup: KindLookup, gvk: GroupVersionKind, data: () => string): StructSchema {
  if (gvk.kind === '') throw new MissingKindError(data());
  if (gvk.version === '') throw new MissingVersionError(data());
  const schema = lookup.resolve(gvk);
  if (!schema) throw NotRegisteredError.forKind(lookup.name, gvk);
  return schema;
}

/** Returns the object with apiVersion and kind, which it lacks when they came from defaults. */
export function withType(
  object: Record<string, unknown>,
  { apiVersion, kind }: Pick<GroupVersionKind, 'apiVersion' | 'kind'>,
): Decoded['object'] {
  if (isTyped(object) && object.apiVersion === apiVersion && object.kind === kind) return object;
  return { ...object, apiVersion, kind };
}

const isTyped = (object: Record<string, unknown>): object is Decoded['object'] =>
  typeof object.apiVersion === 'string' && typeof object.kind === 'string';

/** Returns the kind that a value states. What it does not state is empty. */
function interpret(value: unknown): GroupVersionKind {
  if (value === null) return GroupVersionKind.of('', '', '');
  const mismatch = (found: unknown, where: string): DecodeError =>
    new DecodeError(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${describeJson(found)} into Go ${where}`,
    );
  if (!isJsonObject(value) || value instanceof NumberLiteral) {
    throw mismatch(
      value,
      'value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    );
  }
  const read = (field: 'apiVersion' | 'kind'): string => {
    const text = Object.hasOwn(value, field) ? (value[field] ?? '') : '';
    if (typeof text !== 'string') throw mismatch(text, `struct field .${field} of type string`);
    return text;
  };
  const apiVersion = read('apiVersion');
  return GroupVersion.parse(apiVersion).withKind(read('kind'));
}

/**
 * Completes a kind by the default. The default's group and version are used together, when the object states no version and no other
 * group.
 */
function withDefaults(stated: GroupVersionKind, fallback: GroupVersionKind | undefined): GroupVersionKind {
  if (!fallback) return stated;
  const kind = stated.kind || fallback.kind;
  const useVersion = stated.version === '' && (stated.group === '' || stated.group === fallback.group);
  return useVersion
    ? GroupVersionKind.of(fallback.group, fallback.version, kind)
    : GroupVersionKind.of(stated.group, stated.version, kind);
}
