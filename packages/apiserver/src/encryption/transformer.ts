/** What was stored, as it was before it was stored. */
export interface Decrypted {
  readonly value: Uint8Array;
  /** It would be stored otherwise today: the next write is done even when it changes nothing. */
  readonly stale: boolean;
}

/** Right away where that is possible: whoever writes and reads all the time should not have to wait for nothing. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Makes of values what is stored, and back. `key` is where a value lies: one that was moved elsewhere is not taken for
 * the one that belongs there. Both throw, or reject, when it cannot be done.
 */
export interface Transformer {
  encrypt(value: Uint8Array, key: string): MaybePromise<Uint8Array>;
  decrypt(stored: Uint8Array, key: string): MaybePromise<Decrypted>;
}

export const isPromise = <T>(value: MaybePromise<T>): value is Promise<T> => value instanceof Promise;
