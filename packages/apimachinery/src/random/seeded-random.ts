import { newNameSuffix, type Random } from './random.ts';

/**
 * Returns the same sequence for the same seed, on every machine. For independent sequences in the parts of a program, create one for each
 * with a seed of its own: `${seed}/scheduler`.
 *
 * The generator is xoshiro128** 1.1 of Blackman and Vigna: 128 bits of state, a period of 2^128 - 1. Its state is filled by SplitMix32
 * (Weyl sequence, finalizer of MurmurHash3), which begins with the 32-bit FNV-1a hash of the seed. All values can be predicted from a few
 * of them: not for secrets.
 */
export function seededRandom(seed: string | number): Random {
  const next = xoshiro128(String(seed));
  const number = (): number => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
  const integer = (below: number): number => Math.floor(number() * below);
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => next() >>> 24);
  return { uuid: () => uuidOf(bytes(16)), number, integer, bytes, nameSuffix: () => newNameSuffix(integer) };
}

/** Returns a function that returns 32 random bits, as an unsigned number. */
function xoshiro128(seed: string): () => number {
  const fill = splitMix32(fnv1a(seed));
  let [a, b, c, d] = [fill(), fill(), fill(), fill()];
  return () => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return result;
  };
}

function splitMix32(state: number): () => number {
  let sum = state;
  return () => {
    sum = (sum + 0x9e3779b9) | 0;
    let mixed = sum ^ (sum >>> 16);
    mixed = Math.imul(mixed, 0x85ebca6b);
    mixed ^= mixed >>> 13;
    mixed = Math.imul(mixed, 0xc2b2ae35);
    return mixed ^ (mixed >>> 16);
  };
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}

const rotateLeft = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** Version 4, variant of RFC 9562. */
function uuidOf(bytes: Uint8Array): string {
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
