/**
 * Randomness as a parameter: for uids, suffixes of generated names, jitter, and choices among equals.
 *
 * Not for secrets. Keys, tokens, nonces, salts and all other values that must be unpredictable come from `node:crypto`: an implementation
 * may be seeded, and then all its values can be predicted. The functions need no `this`.
 */
export interface Random {
  /** Returns a UUID of version 4. */
  readonly uuid: () => string;
  /** Returns a fraction: at least 0, below 1. */
  readonly number: () => number;
  /** Returns a whole number: at least 0, below the given one. */
  readonly integer: (below: number) => number;
  readonly bytes: (length: number) => Uint8Array;
  /** Returns five characters for the end of a name, from those that upstream uses. */
  readonly nameSuffix: () => string;
}

/** Without vowels, and without digits that look like vowels, so that no words result. */
const nameCharacters = 'bcdfghjklmnpqrstvwxz2456789';

/** Returns a name suffix from a source of whole numbers. */
export function newNameSuffix(integer: Random['integer']): string {
  let suffix = '';
  for (let i = 0; i < 5; i++) suffix += nameCharacters[integer(nameCharacters.length)];
  return suffix;
}
