import { createHash } from 'node:crypto';

/** Returns a generator of numbers from 0 up to 1 that depend only on the seed. */
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

/** Returns a random value that begins with a checksum of the rest. Some values are large. */
export function checkedValue(random: () => number): Buffer {
  const size = random() < 0.05 ? 60_000 * random() : 3000 * random();
  const content = Buffer.alloc(Math.floor(size), Math.floor(random() * 256));
  return Buffer.concat([sumOf(content), content]);
}

/** Returns the checksum of a value, or undefined when the value is incomplete or damaged. */
export function sumOfValue(value: Uint8Array): string | undefined {
  const sum = Buffer.from(value.subarray(0, sumLength));
  return sum.equals(sumOf(value.subarray(sumLength))) ? sum.toString('hex') : undefined;
}

function sumOf(content: Uint8Array): Buffer {
  return createHash('sha1').update(content).digest();
}
