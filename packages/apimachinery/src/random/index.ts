/** Randomness as a parameter. Not for secrets. */
export type { Random } from './random.ts';
export { seededRandom } from './seeded-random.ts';
export { systemRandom } from './system-random.ts';
