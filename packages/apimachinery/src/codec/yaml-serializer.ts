import { isJsonObject } from '../json/own-entry.ts';
import { stringifyJson } from '../json/stringify-json.ts';
import { withoutLiterals } from '../schema/canonical-scalar.ts';
import { NumberLiteral } from '../schema/number-literal.ts';
import { DecodeFailure } from './decode-failure.ts';
import type { Decoded, DecodeOptions, KindLookup, Serializer } from './serializer.ts';
import { findStrictErrors } from './strict-fields.ts';
import { completed, type Steps } from '../steps/index.ts';
import { decodeDocumentInSteps, type JsonDocument } from './typed-object.ts';
import { decodeUtf8, encodeUtf8 } from './utf8.ts';
import { stringifyYaml } from './yaml/emitter.ts';
import { type ParsedYaml, parseYamlInSteps } from './yaml/parse.ts';

/** `application/yaml`. Only the first document is decoded. */
export class YamlSerializer implements Serializer {
  readonly mediaType = 'application/yaml';
  readonly streams = false;
  readonly #lookup: KindLookup;

  constructor(lookup: KindLookup) {
    this.#lookup = lookup;
  }

  decode(data: Uint8Array, options?: DecodeOptions): Decoded {
    return completed(this.decodeInSteps(data, options));
  }

  *decodeInSteps(data: Uint8Array, options: DecodeOptions = {}): Steps<Decoded> {
    let parsed: ParsedYaml;
    try {
      parsed = yield* parseYamlInSteps(data);
    } catch (error) {
      throw new DecodeFailure(error);
    }
    const { value, duplicateKeys } = parsed;
    const duplicates = duplicateKeys.length > 0 ? [`yaml: unmarshal errors:\n  ${duplicateKeys.join('\n  ')}`] : [];
    const document = (content: unknown): JsonDocument => ({
      value: options.unstructured ? withoutLiterals(content) : content,
      literals: true,
      text: () => decodeUtf8(data),
      strictErrors: (schema, hasUnknownFields) =>
        hasUnknownFields
          ? [...duplicates, ...findStrictErrors(stringifyJson(sortKeys(withoutLiterals(content))), schema)]
          : duplicates,
    });
    try {
      return yield* decodeDocumentInSteps(this.#lookup, document(value), options);
    } catch {
      yield;
      // Upstream converts YAML to JSON, which sorts the keys, so another error may come first.
      return yield* decodeDocumentInSteps(this.#lookup, document(sortKeys(value)), options);
    }
  }

  encode(object: object): Uint8Array {
    return encodeUtf8(stringifyYaml(object));
  }
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value) || value instanceof NumberLiteral) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key])]));
}
