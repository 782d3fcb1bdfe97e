import { newNameSuffix, type Random } from './random.ts';

const integer = (below: number): number => Math.floor(Math.random() * below);

/** The machine's chance. UUIDs and bytes come from its source for cryptography, so that no two machines give the same. */
export const systemRandom: Random = {
  uuid: () => crypto.randomUUID(),
  number: () => Math.random(),
  integer,
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  nameSuffix: () => newNameSuffix(integer),
};
