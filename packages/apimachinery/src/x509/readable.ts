import { X509Error } from '../der/der-reader.ts';

/** Returns the result of `read`; undefined when it throws an X509Error, because the bytes cannot be parsed. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof X509Error) return undefined;
    throw error;
  }
}
