import { nameIsDnsSubdomain } from '@coxswain/apimachinery';
import { type Annotations, EncryptedObject, keySource, seedSource } from './messages.ts';

const maxAnnotationBytes = 32 * 1024;
const maxKeyIdBytes = 1024;
const maxSourceBytes = 1024;

/** The stored form of a value: the encrypted data, and the wrapped key or seed it is encrypted with. */
export interface Envelope {
  readonly encryptedData: Uint8Array;
  readonly keyId: string;
  readonly encryptedDEKSource: Uint8Array;
  readonly annotations: Annotations;
  readonly encryptedDEKSourceType: number;
}

/** Throws an Error with upstream's message when the data is not a valid envelope. */
export function decodeEnvelope(stored: Uint8Array): Envelope {
  const decoded = EncryptedObject.decode(Buffer.from(stored.buffer, stored.byteOffset, stored.length));
  const envelope: Envelope = {
    encryptedData: decoded.encryptedData ?? new Uint8Array(),
    keyId: decoded.keyId ?? '',
    encryptedDEKSource: decoded.encryptedDEKSource ?? new Uint8Array(),
    annotations: decoded.annotations ?? [],
    encryptedDEKSourceType: decoded.encryptedDEKSourceType ?? keySource,
  };
  assertEnvelope(envelope);
  return envelope;
}

export function encodeEnvelope(envelope: Envelope): Buffer {
  assertEnvelope(envelope);
  return EncryptedObject.encode(envelope);
}

export function assertEnvelope(envelope: Envelope): void {
  const { encryptedData, keyId, encryptedDEKSource, annotations, encryptedDEKSourceType } = envelope;
  if (encryptedDEKSourceType !== keySource && encryptedDEKSourceType !== seedSource)
    throw new Error(`unknown encryptedDEKSourceType: ${encryptedDEKSourceType}`);
  if (encryptedData.length === 0) throw new Error('encrypted data is empty');
  if (encryptedDEKSource.length === 0)
    throw new Error('failed to validate encrypted DEK source: encrypted DEK source is empty');
  if (encryptedDEKSource.length > maxSourceBytes)
    throw new Error(
      `failed to validate encrypted DEK source: encrypted DEK source is ${encryptedDEKSource.length} bytes, which exceeds the max size of ${maxSourceBytes}`,
    );
  const problem = keyIdProblem(keyId);
  if (problem) throw new Error(`failed to validate key id: ${problem}`);
  assertAnnotations(annotations);
}

export function keyIdProblem(keyId: string): string | undefined {
  const size = Buffer.byteLength(keyId);
  if (size === 0) return 'keyID is empty';
  return size > maxKeyIdBytes ? `keyID is ${size} bytes, which exceeds the max size of ${maxKeyIdBytes}` : undefined;
}

function assertAnnotations(annotations: Annotations): void {
  let size = 0;
  for (const { key = '', value = new Uint8Array() } of annotations) {
    size += Buffer.byteLength(key) + value.length;
    const name = key.endsWith('.') ? key.slice(0, -1) : key;
    const isQualified = nameIsDnsSubdomain(name, false).length === 0 && name.includes('.');
    if (!isQualified)
      throw new Error(
        `failed to validate annotations: annotations: Invalid value: ${JSON.stringify(key)}: should be a domain with at least two segments separated by dots`,
      );
  }
  if (size > maxAnnotationBytes)
    throw new Error(
      `failed to validate annotations: total size of annotations is ${size}, which exceeds the max size of ${maxAnnotationBytes}`,
    );
}
