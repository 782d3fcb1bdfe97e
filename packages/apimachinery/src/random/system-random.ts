import { newNameSuffix, type Random } from './random.ts';

const integer = (below: number): number => Math.floor(Math.random() * below);

/** The runtime's randomness. UUIDs and bytes come from its cryptographic source, so that no two machines get the same ones. */
export const systemRandom: Random = {
  uuid: () => crypto.randomUUID(),
  number: () => Math.random(),
  integer,
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  nameSuffix: () => newNameSuffix(integer),
};
