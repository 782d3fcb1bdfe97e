import { isJsonObject } from '../json/own-entry.ts';
import { stringifyJson } from '../json/stringify-json.ts';
import { DecodeError } from '../schema/decode-error.ts';
import { DecodeFailure, orDecodeFailure } from './decode-failure.ts';
import { jsonFramer } from './framer.ts';
import { type ParsedJson, parseJson, parseJsonInSteps } from './json.ts';
import type {
  Decoded,
  DecodedEvent,
  DecodeOptions,
  EncodeOptions,
  KindLookup,
  StreamSerializer,
} from './serializer.ts';
import { findStrictErrors, hasDuplicateKeys } from './strict-fields.ts';
import type { Steps } from '../steps/index.ts';
import { decodeDocument, decodeDocumentInSteps, type JsonDocument } from './typed-object.ts';
import { decodeUtf8, encodeUtf8 } from './utf8.ts';

/** `application/json`. */
export class JsonSerializer implements StreamSerializer {
  readonly mediaType = 'application/json';
  readonly streams = true;
  readonly framer = jsonFramer;
  readonly #lookup: KindLookup;

  constructor(lookup: KindLookup) {
    this.#lookup = lookup;
  }

  decode(data: Uint8Array, options?: DecodeOptions): Decoded {
    const parsed = orJsonFailure(() => parseJson(data, !options?.unstructured));
    return decodeDocument(this.#lookup, documentOf(data, parsed), options);
  }

  *decodeInSteps(data: Uint8Array, options?: DecodeOptions): Steps<Decoded> {
    let parsed: ParsedJson;
    try {
      parsed = yield* parseJsonInSteps(data, !options?.unstructured);
    } catch (cause) {
      throw jsonFailure(cause);
    }
    yield;
    return yield* decodeDocumentInSteps(this.#lookup, documentOf(data, parsed), options);
  }

  encode(object: object, { pretty = false }: EncodeOptions = {}): Uint8Array {
    const text = stringifyJson(object, { pretty });
    return encodeUtf8(pretty ? text : `${text}\n`);
  }

  wrapEvent(type: string, object: Uint8Array): Uint8Array {
    const head = encodeUtf8(`{"type":${JSON.stringify(type)},"object":`);
    const body = object.at(-1) === 0x0a ? object.subarray(0, -1) : object;
    const event = new Uint8Array(head.length + body.length + 2);
    event.set(head);
    event.set(body, head.length);
    event.set([0x7d, 0x0a], head.length + body.length);
    return event;
  }

  decodeEvent(frame: Uint8Array, options?: DecodeOptions): DecodedEvent {
    return orDecodeFailure(undefined, () => {
      const { value, literals } = parseJson(frame, !options?.unstructured);
      if (!isJsonObject(value) || typeof value.type !== 'string') {
        throw new DecodeError('unable to decode watch event: it has no type');
      }
      const { type, object = null } = value;
      const text = (): string => stringifyJson(object);
      const decoded = decodeDocument(this.#lookup, { value: object, literals, text, strictErrors: () => [] }, options);
      return { ...decoded, type };
    });
  }
}

const documentOf = (data: Uint8Array, { value, literals }: ParsedJson): JsonDocument => ({
  value,
  literals,
  text: () => decodeUtf8(data),
  strictErrors: (schema, hasUnknownFields) =>
    hasUnknownFields || hasDuplicateKeys(data, value) ? findStrictErrors(decodeUtf8(data), schema) : [],
});

function orJsonFailure<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw jsonFailure(cause);
  }
}

function jsonFailure(cause: unknown): DecodeFailure {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new DecodeFailure(
    new DecodeError(`couldn't get version/kind; json parse error: ${message}`, { cause }),
    undefined,
  );
}
