import { canonicalQuantity } from '../../quantity/index.ts';
import { DecodeError } from '../../schema/decode-error.ts';
import type { ScalarKind } from '../../schema/schema.ts';
import { formatDuration, formatMicroTime } from '../../time/index.ts';
import { parseJson } from '../json.ts';
import { type Decoding, type JsonObject, MessageDecoder, plainDecodings } from './message-decoder.ts';
import { wire } from './reader.ts';
import { timeOfSeconds } from './timestamp.ts';

/** Returns the decoding of a message that represents a single value: `convert` computes the value from its fields. */
function message(decoder: MessageDecoder, convert: (fields: JsonObject) => unknown): Decoding {
  return {
    wireType: wire.bytes,
    read: (reader, end) => {
      const fields: JsonObject = {};
      decoder.read(reader, end, fields);
      return convert(fields);
    },
  };
}

/** Decodes JSON text in a field of bytes; null when the field is empty. */
const json: Decoding = {
  wireType: wire.bytes,
  read: (reader, end) => (reader.at === end ? null : parseJson(reader.text(end)).value),
};

const jsonText = (name: string): Decoding =>
  message(new MessageDecoder(name).addValue(1, 'raw', json), ({ raw }) => raw ?? null);

const integerOf = (value: unknown): number | bigint => (typeof value === 'bigint' ? value : Number(value ?? 0));

const maxNanos = 999_999_999;

/** An empty message is the zero time, not 1970. */
function timestamp(format: (seconds: number | bigint, nanos: number) => string | null): Decoding {
  const decoder = new MessageDecoder('Timestamp')
    .addValue(1, 'seconds', plainDecodings.int64)
    .add(2, 'nanos', { kind: 'int32' });
  const { read } = message(decoder, ({ seconds, nanos }) => {
    try {
      // Go would carry over nanoseconds that are negative or at least a second; such values do not occur in practice.
      return format(integerOf(seconds), Math.min(Math.max(Number(nanos ?? 0), 0), maxNanos));
    } catch (cause) {
      throw new DecodeError('proto: Timestamp: time out of range', { cause });
    }
  });
  return { wireType: wire.bytes, read: (reader, end) => (reader.at === end ? null : read(reader, end)) };
}

function quantityOf(text: unknown): string {
  try {
    return canonicalQuantity(String(text ?? ''));
  } catch (cause) {
    throw new DecodeError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** The decoding of each kind of scalar, directly to its canonical form. */
export const scalarDecodings: Readonly<Record<ScalarKind, Decoding>> = {
  ...plainDecodings,
  quantity: message(new MessageDecoder('Quantity').addValue(1, 'string', plainDecodings.string), ({ string }) =>
    quantityOf(string),
  ),
  intOrString: message(
    new MessageDecoder('IntOrString')
      .addValue(1, 'type', plainDecodings.int64)
      .addValue(2, 'intVal', plainDecodings.int32)
      .addValue(3, 'strVal', plainDecodings.string),
    ({ type, intVal, strVal }) => (type === 1 ? (strVal ?? '') : (intVal ?? 0)),
  ),
  time: timestamp(timeOfSeconds),
  microTime: timestamp((seconds, nanos) => formatMicroTime({ seconds, nanos })),
  duration: message(new MessageDecoder('Duration').addValue(1, 'duration', plainDecodings.int64), ({ duration }) =>
    formatDuration(integerOf(duration)),
  ),
  any: jsonText('JSON'),
  rawObject: jsonText('RawExtension'),
  fieldsV1: jsonText('FieldsV1'),
  unknownObject: message(new MessageDecoder('Unknown').addValue(2, 'raw', json), ({ raw }) => raw ?? null),
};
