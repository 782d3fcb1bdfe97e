/** A decrypted value. */
export interface Decrypted {
  readonly value: Uint8Array;
  /** The stored form is outdated: the next update is written even when it changes nothing. */
  readonly stale: boolean;
}

/** Synchronous where possible, so that reads and writes need not wait for a microtask. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Encrypts and decrypts values. `key` is the value's key in the store: authenticating ciphers bind the value to it, so
 * that one moved to another key cannot be decrypted. Both methods throw or reject on failure.
 */
export interface Transformer {
  encrypt(value: Uint8Array, key: string): MaybePromise<Uint8Array>;
  decrypt(stored: Uint8Array, key: string): MaybePromise<Decrypted>;
}

export const isPromise = <T>(value: MaybePromise<T>): value is Promise<T> => value instanceof Promise;
