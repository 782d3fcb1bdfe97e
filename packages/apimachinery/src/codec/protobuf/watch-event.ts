import { DecodeError } from '../../schema/decode-error.ts';
import { type Decoding, MessageDecoder } from './message-decoder.ts';
import { ProtoReader, wire } from './reader.ts';
import { ProtoWriter } from './writer.ts';

const tag = (number: number): number => number * 8 + wire.bytes;

/** Encodes a watch event around an encoded object. */
export function writeWatchEvent(type: string, object: Uint8Array): Uint8Array {
  const writer = new ProtoWriter(object.length + type.length + 32);
  writer.raw(object);
  writer.varint(object.length);
  writer.byte(tag(1));
  writer.varint(writer.length);
  writer.byte(tag(2));
  writer.string(type);
  writer.byte(tag(1));
  return writer.take();
}

/** Returns the bytes without copying them. */
const bytes: Decoding = {
  wireType: wire.bytes,
  read: (reader, end) => {
    const start = reader.at;
    reader.at = end;
    return reader.bytes.subarray(start, end);
  },
};

const rawExtension = new MessageDecoder('RawExtension').addValue(1, 'raw', bytes);

const watchEvent = new MessageDecoder('WatchEvent').add(1, 'type', { kind: 'string' }).addValue(2, 'object', {
  wireType: wire.bytes,
  read: (reader, end) => {
    const fields: Record<string, unknown> = {};
    rawExtension.read(reader, end, fields);
    return fields.raw;
  },
});

/** Decodes a watch event; its object stays encoded. Throws DecodeError. */
export function readWatchEvent(frame: Uint8Array): { readonly type: string; readonly object: Uint8Array } {
  const fields: Record<string, unknown> = {};
  watchEvent.read(new ProtoReader(frame), frame.length, fields);
  const { type = '', object = new Uint8Array() } = fields;
  if (typeof type !== 'string' || !(object instanceof Uint8Array)) throw new DecodeError('unexpected EOF');
  return { type, object };
}
