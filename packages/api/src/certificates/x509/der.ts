import { X509Error } from '@coxswain/apimachinery/der';

export {
  bigIntToBytes,
  bytesToBigInt,
  type DerElement,
  DerReader,
  derTags as tags,
  toHex,
  X509Error,
} from '@coxswain/apimachinery/der';

/** What `read` gives; nothing when it finds that the bytes cannot be read. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof X509Error) return undefined;
    throw error;
  }
}

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);
