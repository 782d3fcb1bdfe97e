import { isJsonObject } from '../json/own-entry.ts';
import { GroupVersion, GroupVersionKind } from '../meta/group-version.ts';
import type { StructSchema } from '../schema/schema.ts';
import { orDecodeFailure } from './decode-failure.ts';
import { lengthDelimitedFramer } from './framer.ts';
import { compileDecoder } from './protobuf/decoder.ts';
import { compileEncoder } from './protobuf/encoder.ts';
import { type Envelope, readEnvelope, writeEnvelope } from './protobuf/envelope.ts';
import { ProtoReader } from './protobuf/reader.ts';
import { readWatchEvent, writeWatchEvent } from './protobuf/watch-event.ts';
import { ProtoWriter } from './protobuf/writer.ts';
import type { Decoded, DecodedEvent, DecodeOptions, KindLookup, StreamSerializer } from './serializer.ts';
import type { Steps } from '../steps/index.ts';
import { resolveKind, withType } from './typed-object.ts';

/** Thrown for an object whose kind has no protobuf encoding. A server responds with 406. */
export class NotMarshalableError extends Error {
  override readonly name = 'NotMarshalableError';

  constructor({ name, fullName }: StructSchema) {
    const type = `*${fullName.split('.').at(-2) ?? ''}.${name}`;
    super(
      `object ${type} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`,
    );
  }
}

/** `application/vnd.kubernetes.protobuf`, for kinds with field numbers. */
export class ProtobufSerializer implements StreamSerializer {
  readonly mediaType = 'application/vnd.kubernetes.protobuf';
  readonly streams = true;
  readonly framer = lengthDelimitedFramer;
  readonly #lookup: KindLookup;
  readonly #writer = new ProtoWriter();

  constructor(lookup: KindLookup) {
    this.#lookup = lookup;
  }

  decode(data: Uint8Array, options?: DecodeOptions): Decoded {
    return this.#decode(data, options, undefined);
  }

  #decode(data: Uint8Array, { defaultGVK }: DecodeOptions = {}, maxParts: number | undefined): Decoded {
    const envelope = orDecodeFailure(undefined, () => readEnvelope(data));
    const gvk = withDefaults(envelope, defaultGVK);
    return orDecodeFailure(gvk, () => {
      const schema = resolveKind(this.#lookup, gvk, () => describeTypeMeta(envelope));
      if (!isMarshalable(schema)) throw new NotMarshalableError(schema);
      // kind and apiVersion come first, as in every decoded object.
      const object: Record<string, unknown> = { kind: gvk.kind, apiVersion: gvk.apiVersion };
      compileDecoder(schema)(new ProtoReader(data, envelope.start, maxParts), envelope.end, object);
      return { object: withType(object, gvk), gvk, strictErrors: [] };
    });
  }

  /** In a single step: a message with at most `maxPartsInOneStep` parts is decoded in a few milliseconds, however long it is. */
  // biome-ignore lint/correctness/useYield: there is only one step
  *decodeInSteps(data: Uint8Array, options?: DecodeOptions): Steps<Decoded> {
    return this.#decode(data, options, maxPartsInOneStep);
  }

  /** Throws NotMarshalableError for kinds without a protobuf encoding, NotRegisteredError for unknown kinds. */
  encode(object: object): Uint8Array {
    if (!isJsonObject(object)) throw new TypeError('cannot encode a value that is not an object');
    const gvk = GroupVersionKind.fromApiVersionAndKind(String(object.apiVersion ?? ''), String(object.kind ?? ''));
    const schema = resolveKind(this.#lookup, gvk, () => JSON.stringify(Object.keys(object)));
    if (!isMarshalable(schema)) throw new NotMarshalableError(schema);
    const write = compileEncoder(schema);
    this.#writer.reset();
    writeEnvelope(this.#writer, gvk, () => write(this.#writer, object));
    return this.#writer.take();
  }

  wrapEvent(type: string, object: Uint8Array): Uint8Array {
    return writeWatchEvent(type, object);
  }

  decodeEvent(frame: Uint8Array, options?: DecodeOptions): DecodedEvent {
    const { type, object } = orDecodeFailure(undefined, () => readWatchEvent(frame));
    return { ...this.decode(object, options), type };
  }
}

const maxPartsInOneStep = 200_000;

/** Whether the kind has a protobuf encoding. Some kinds, such as Table, have no field numbers at all. */
const isMarshalable = ({ declared }: StructSchema): boolean =>
  declared.length === 0 || declared.some(({ number }) => number > 0);

function withDefaults({ apiVersion, kind }: Envelope, fallback: GroupVersionKind | undefined): GroupVersionKind {
  const { group, version } = GroupVersion.tryParse(apiVersion) ?? GroupVersion.of('', '');
  const useVersion = version === '' && fallback !== undefined && fallback.version !== '';
  return GroupVersionKind.of(
    useVersion ? fallback.group : group,
    useVersion ? fallback.version : version,
    kind || (fallback?.kind ?? ''),
  );
}

const describeTypeMeta = ({ apiVersion, kind }: Envelope): string =>
  `runtime.TypeMeta{APIVersion:${JSON.stringify(apiVersion)}, Kind:${JSON.stringify(kind)}}`;
