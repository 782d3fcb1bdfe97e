import type { StructSchema } from '../../schema/schema.ts';
import { compileDecoder } from './decoder.ts';
import { compileEncoder } from './encoder.ts';
import { ProtoReader } from './reader.ts';
import { ProtoWriter } from './writer.ts';

/** Encodes a struct as a bare message, without the envelope that states its kind. The struct must be normalised. */
export function encodeProtobufMessage(schema: StructSchema, object: Record<string, unknown>): Uint8Array {
  const writer = new ProtoWriter();
  compileEncoder(schema)(writer, object);
  return writer.take();
}

/** Decodes a bare message from a part of `bytes`, directly to canonical form. Throws DecodeError. */
export function decodeProtobufMessage(
  schema: StructSchema,
  bytes: Uint8Array,
  start = 0,
  end: number = bytes.length,
): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  compileDecoder(schema)(new ProtoReader(bytes, start), end, object);
  return object;
}
