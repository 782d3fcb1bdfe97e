import { DecodeError } from '../../schema/decode-error.ts';
import { type JsonObject, MessageDecoder, plainDecodings } from './message-decoder.ts';
import { ProtoReader, wire } from './reader.ts';
import type { ProtoWriter } from './writer.ts';

/** `k8s` and a zero byte: the prefix of every message. */
const magic = new Uint8Array([0x6b, 0x38, 0x73, 0x00]);

/** Whether data is an object in upstream's protobuf envelope. */
export const isProtobufEnvelope = (data: Uint8Array): boolean =>
  data.length >= magic.length && magic.every((byte, index) => data[index] === byte);

/** The fields of the envelope. The object lies in the same bytes, from `start` to `end`. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly contentEncoding: string;
  readonly contentType: string;
  readonly start: number;
  readonly end: number;
}

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const typeMeta = new MessageDecoder('TypeMeta')
  .addValue(1, 'apiVersion', plainDecodings.string)
  .addValue(2, 'kind', plainDecodings.string);

const unknown = new MessageDecoder('Unknown')
  .addValue(1, 'typeMeta', {
    wireType: wire.bytes,
    read: (reader, end) => {
      const fields: JsonObject = {};
      typeMeta.read(reader, end, fields);
      return fields;
    },
  })
  .addValue(2, 'raw', {
    wireType: wire.bytes,
    read: (reader, end) => {
      const start = reader.at;
      reader.at = end;
      return { start, end };
    },
  })
  .addValue(3, 'contentEncoding', plainDecodings.string)
  .addValue(4, 'contentType', plainDecodings.string);

/** Decodes the envelope. Throws DecodeError with upstream's message when there is none or it is malformed. */
export function readEnvelope(data: Uint8Array): Envelope {
  if (data.length === 0) throw new DecodeError('empty data');
  if (!isProtobufEnvelope(data)) {
    throw new DecodeError(
      `provided data does not appear to be a protobuf message, expected prefix [${magic.join(' ')}]`,
    );
  }
  if (data.length === magic.length) throw new DecodeError('empty body');
  const fields: { typeMeta?: JsonObject; raw?: { start: number; end: number } } & JsonObject = {};
  unknown.read(new ProtoReader(data, magic.length), data.length, fields);
  const { start, end } = fields.raw ?? { start: data.length, end: data.length };
  return {
    apiVersion: stringOf(fields.typeMeta?.apiVersion),
    kind: stringOf(fields.typeMeta?.kind),
    contentEncoding: stringOf(fields.contentEncoding),
    contentType: stringOf(fields.contentType),
    start,
    end,
  };
}

/** Writes the envelope around the object that `writeObject` writes. */
export function writeEnvelope(
  writer: ProtoWriter,
  { apiVersion, kind }: Pick<Envelope, 'apiVersion' | 'kind'>,
  writeObject: () => void,
): void {
  const field = (number: number, write: () => void): void => {
    write();
    writer.byte(number * 8 + wire.bytes);
  };
  const nested = (write: () => void): void => {
    const before = writer.length;
    write();
    writer.varint(writer.length - before);
  };
  // The last field is written first.
  field(4, () => writer.string(''));
  field(3, () => writer.string(''));
  field(2, () => nested(writeObject));
  field(1, () =>
    nested(() => {
      field(2, () => writer.string(kind));
      field(1, () => writer.string(apiVersion));
    }),
  );
  writer.raw(magic);
}
