import { isJsonObject } from '../json/own-entry.ts';
import { withoutLiterals } from '../schema/canonical-scalar.ts';
import { NumberLiteral } from '../schema/number-literal.ts';
import { orDecodeFailure } from './decode-failure.ts';
import { stringifyJson } from './json.ts';
import type { Decoded, DecodeOptions, KindLookup, Serializer } from './serializer.ts';
import { findStrictErrors } from './strict-fields.ts';
import { decodeDocument } from './typed-object.ts';
import { decodeUtf8, encodeUtf8 } from './utf8.ts';
import { stringifyYaml } from './yaml/emitter.ts';
import { parseYaml } from './yaml/parse.ts';

/** `application/yaml`. Reads the first document and no more. */
export class YamlSerializer implements Serializer {
  readonly mediaType = 'application/yaml';
  readonly streams = false;
  readonly #lookup: KindLookup;

  constructor(lookup: KindLookup) {
    this.#lookup = lookup;
  }

  decode(data: Uint8Array, options?: DecodeOptions): Decoded {
    const { value, duplicateKeys } = orDecodeFailure(undefined, () => parseYaml(data));
    const duplicates = duplicateKeys.length > 0 ? [`yaml: unmarshal errors:\n  ${duplicateKeys.join('\n  ')}`] : [];
    const decode = (content: unknown): Decoded =>
      decodeDocument(
        this.#lookup,
        {
          value: options?.unstructured ? withoutLiterals(content) : content,
          literals: true,
          text: () => decodeUtf8(data),
          strictErrors: (schema, hasUnknownFields) =>
            hasUnknownFields
              ? [...duplicates, ...findStrictErrors(stringifyJson(sortKeys(withoutLiterals(content))), schema)]
              : duplicates,
        },
        options,
      );
    try {
      return decode(value);
    } catch {
      // Upstream turns YAML to JSON, which sorts the keys, and so another error may be the first.
      return decode(sortKeys(value));
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
