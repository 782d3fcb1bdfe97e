import { X509Error } from '../der/der-reader.ts';

/** What `read` gives; nothing when it throws an X509Error, because the bytes cannot be read. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof X509Error) return undefined;
    throw error;
  }
}
