import { quote } from '@coxswain/apimachinery';

/** A stored value that the encryption layer below the registry could not decrypt, for example because a key is missing. */
export class UnreadableValue extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Returns the error for an object that is stored but cannot be decoded. `error` is the error of the watch cache. */
export function brokenObject(key: string, error: Error): Error {
  const cause = error.cause instanceof Error ? error.cause : error;
  const what = cause instanceof UnreadableValue ? `transform key ${quote(key)}` : `decode ${key}`;
  return new Error(`unable to ${what}: ${cause.message}`, { cause: error });
}
