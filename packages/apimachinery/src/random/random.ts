/**
 * Chance as a parameter: uids, the ends of generated names, jitter, and choices among equals.
 *
 * Not for secrets. Keys, tokens, nonces, salts and whatever else nobody may guess come from `node:crypto`: an implementation
 * may be seeded, and then everything that it gives can be foretold. The functions need no `this`.
 */
export interface Random {
  /** A UUID of version 4. */
  readonly uuid: () => string;
  /** A fraction: at least 0, below 1. */
  readonly number: () => number;
  /** A whole number: at least 0, below the given one. */
  readonly integer: (below: number) => number;
  readonly bytes: (length: number) => Uint8Array;
  /** Five characters that may end a name, of those that upstream takes. */
  readonly nameSuffix: () => string;
}

/** Without vowels, and without digits that look like them, so that no words come out. */
const nameCharacters = 'bcdfghjklmnpqrstvwxz2456789';

/** The same for any source of fractions. */
export function newNameSuffix(integer: Random['integer']): string {
  let suffix = '';
  for (let i = 0; i < 5; i++) suffix += nameCharacters[integer(nameCharacters.length)];
  return suffix;
}
