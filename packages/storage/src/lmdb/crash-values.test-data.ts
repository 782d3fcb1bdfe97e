import { createHash } from 'node:crypto';

/** Numbers from 0 to 1 that are the same for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const sumLength = 20;

/** Bytes of which can be told whether all of them are there. Now and then many. */
export function checkedValue(random: () => number): Buffer {
  const size = random() < 0.05 ? 60_000 * random() : 3000 * random();
  const content = Buffer.alloc(Math.floor(size), Math.floor(random() * 256));
  return Buffer.concat([sumOf(content), content]);
}

/** The checksum of a value, or undefined when it is not whole. */
export function sumOfValue(value: Uint8Array): string | undefined {
  const sum = Buffer.from(value.subarray(0, sumLength));
  return sum.equals(sumOf(value.subarray(sumLength))) ? sum.toString('hex') : undefined;
}

function sumOf(content: Uint8Array): Buffer {
  return createHash('sha1').update(content).digest();
}
