import { quote } from '@coxswain/apimachinery';

/** A value that a layer under the registry could not make out: it was encrypted with a key that is not here. */
export class UnreadableValue extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** What whoever asks for an object is told when it is stored and cannot be read; `error` is the cache's. */
export function brokenObject(key: string, error: Error): Error {
  const cause = error.cause instanceof Error ? error.cause : error;
  const what = cause instanceof UnreadableValue ? `transform key ${quote(key)}` : `decode ${key}`;
  return new Error(`unable to ${what}: ${cause.message}`, { cause: error });
}
