import { type DerElement, DerReader, derTags, X509Error } from '../der/der-reader.ts';
import type { AlgorithmIdentifier } from './public-key.ts';

/** How Go prints the parameters of a field that has none. */
const defaultParameters =
  '{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}';

const syntaxError = (message: string): X509Error => new X509Error(`asn1: syntax error: ${message}`);
const structureError = (message: string): X509Error => new X509Error(`asn1: structure error: ${message}`);

/** Returns the error of Go's ASN.1 decoder (encoding/asn1) when there is no element of the type at the reader's position. */
export function decodingProblem({ bytes, offset }: DerReader, tag: number, type: string): X509Error {
  if (offset >= bytes.length) return syntaxError('sequence truncated');
  const [found, first] = [bytes[offset]!, bytes[offset + 1]];
  if (first === undefined) return syntaxError('truncated tag or length');
  let length = first;
  let start = offset + 2;
  if (first >= 0x80) {
    const digits = first & 0x7f;
    if (digits === 0) return syntaxError('indefinite length found (not DER)');
    length = 0;
    for (let i = 0; i < digits; i++, start++) {
      if (start >= bytes.length) return syntaxError('truncated tag or length');
      if (length >= 1 << 23) return structureError('length too large');
      length = length * 256 + bytes[start]!;
      if (length === 0) return structureError('superfluous leading zeros in length');
    }
    if (length < 0x80) return structureError('non-minimal length');
  }
  if (found === tag) return syntaxError('data truncated');
  const header = `{class:${found >> 6} tag:${found & 0x1f} length:${length} isCompound:${(found & 0x20) !== 0}}`;
  return structureError(`tags don't match (${tag & 0x1f} vs ${header}) ${defaultParameters} ${type} @${start}`);
}

/** Reads the next element, which must have the tag. Throws an X509Error that contains Go's type otherwise. */
export function decodeElement(reader: DerReader, tag: number, type: string): DerElement {
  const element = reader.take(tag);
  if (!element) throw decodingProblem(reader, tag, type);
  return element;
}

export const decodeInside = (reader: DerReader, tag: number, type: string): DerReader =>
  decodeElement(reader, tag, type).inside();

export function decodeBitString(reader: DerReader): Uint8Array {
  const { raw } = decodeElement(reader, derTags.bitString, 'BitString');
  return new DerReader(raw).bitString('asn1: syntax error: invalid padding bits in BIT STRING');
}

export function decodeOid(reader: DerReader): string {
  const { raw } = decodeElement(reader, derTags.oid, 'ObjectIdentifier');
  return new DerReader(raw).oid('asn1: syntax error: zero length OBJECT IDENTIFIER');
}

export function decodeAlgorithm(reader: DerReader): AlgorithmIdentifier {
  const inner = decodeInside(reader, derTags.sequence, 'AlgorithmIdentifier');
  return { oid: decodeOid(inner), parameters: inner.next()?.raw ?? new Uint8Array() };
}
