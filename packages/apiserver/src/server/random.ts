import { randomInt, randomUUID } from 'node:crypto';
import type { Random } from '../registry/resource-registry.ts';

/** Without vowels, and without digits that look like them, so that no words come out. */
const nameCharacters = 'bcdfghjklmnpqrstvwxz2456789';

export const systemRandom: Random & { number(): number } = {
  uuid: () => randomUUID(),
  nameSuffix: () => Array.from({ length: 5 }, () => nameCharacters[randomInt(nameCharacters.length)]).join(''),
  number: Math.random,
};
