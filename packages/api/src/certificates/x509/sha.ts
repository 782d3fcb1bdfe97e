/**
 * Hash functions for checking signatures where nothing may wait for a promise and no platform is given. Only public data
 * is hashed here.
 */
export interface Hash {
  readonly name: 'SHA1' | 'SHA256' | 'SHA384' | 'SHA512';
  readonly size: number;
  readonly digest: (message: Uint8Array) => Uint8Array;
}

const primes = (count: number): bigint[] => {
  const found: bigint[] = [];
  for (let n = 2n; found.length < count; n++) if (found.every((prime) => n % prime !== 0n)) found.push(n);
  return found;
};

/** The integer part of the k-th root. */
function root(value: bigint, k: bigint): bigint {
  let x = 1n << BigInt(Math.ceil(value.toString(2).length / Number(k)));
  for (;;) {
    const y = ((k - 1n) * x + value / x ** (k - 1n)) / k;
    if (y >= x) return x;
    x = y;
  }
}

/** The first 64 bits of what comes after the point of each prime's root: nothing up anyone's sleeve. */
const fractions = (numbers: readonly bigint[], k: bigint): bigint[] =>
  numbers.map((n) => BigInt.asUintN(64, root(n << (64n * k), k)));

const all = primes(80);
const roundConstants = fractions(all, 3n);
const squareRoots = fractions(all.slice(0, 16), 2n);
const high = (word: bigint): number => Number(word >> 32n);
const low = (word: bigint): number => Number(word & 0xffffffffn);
const k256 = Int32Array.from(roundConstants.slice(0, 64), high);
const k512 = Int32Array.from(roundConstants.flatMap((word) => [high(word), low(word)]));

/** The message, a bit, zeros and its length, in whole blocks. */
function pad(message: Uint8Array, blockSize: number): DataView {
  const lengthSize = blockSize / 8;
  const size = Math.ceil((message.length + 1 + lengthSize) / blockSize) * blockSize;
  const padded = new Uint8Array(size);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(size - 8, BigInt(message.length) * 8n);
  return view;
}

const toBytes = (words: Int32Array, size: number): Uint8Array => {
  const view = new DataView(new ArrayBuffer(words.length * 4));
  words.forEach((word, i) => {
    view.setInt32(4 * i, word);
  });
  return new Uint8Array(view.buffer, 0, size);
};

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

function sha1(message: Uint8Array): Uint8Array {
  const view = pad(message, 64);
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const w = new Int32Array(80);
  for (let block = 0; block < view.byteLength; block += 64) {
    for (let t = 0; t < 16; t++) w[t] = view.getInt32(block + 4 * t);
    for (let t = 16; t < 80; t++) w[t] = rotate(w[t - 3]! ^ w[t - 8]! ^ w[t - 14]! ^ w[t - 16]!, 31);
    let [a, b, c, d, e] = state as unknown as [number, number, number, number, number];
    for (let t = 0; t < 80; t++) {
      const [f, k] =
        t < 20
          ? [(b & c) | (~b & d), 0x5a827999]
          : t < 40
            ? [b ^ c ^ d, 0x6ed9eba1]
            : t < 60
              ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc]
              : [b ^ c ^ d, 0xca62c1d6];
      const next = (rotate(a, 27) + f + e + k + w[t]!) | 0;
      [e, d, c, b, a] = [d, c, rotate(b, 2), a, next];
    }
    [a, b, c, d, e].forEach((word, i) => {
      state[i] = state[i]! + word;
    });
  }
  return toBytes(state, 20);
}

function sha256(message: Uint8Array): Uint8Array {
  const view = pad(message, 64);
  const state = Int32Array.from(squareRoots.slice(0, 8), high);
  const w = new Int32Array(64);
  const s = new Int32Array(8);
  for (let block = 0; block < view.byteLength; block += 64) {
    for (let t = 0; t < 16; t++) w[t] = view.getInt32(block + 4 * t);
    for (let t = 16; t < 64; t++) {
      const [x, y] = [w[t - 15]!, w[t - 2]!];
      const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
      const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
      w[t] = w[t - 16]! + s0 + w[t - 7]! + s1;
    }
    s.set(state);
    for (let t = 0; t < 64; t++) {
      const [a, b, c, d, e, f, g, h] = s as unknown as number[];
      const sum1 = rotate(e!, 6) ^ rotate(e!, 11) ^ rotate(e!, 25);
      const t1 = (h! + sum1 + ((e! & f!) ^ (~e! & g!)) + k256[t]! + w[t]!) | 0;
      const sum0 = rotate(a!, 2) ^ rotate(a!, 13) ^ rotate(a!, 22);
      const t2 = sum0 + ((a! & b!) ^ (a! & c!) ^ (b! & c!));
      s.copyWithin(1, 0, 7);
      s[4] = d! + t1;
      s[0] = t1 + t2;
    }
    for (let i = 0; i < 8; i++) state[i] = state[i]! + s[i]!;
  }
  return toBytes(state, 32);
}

/** Adds to the 64-bit word at `i`, which is two words of 32 bits. */
function add64(words: Int32Array, i: number, hi: number, lo: number): void {
  const sum = (words[i + 1]! >>> 0) + (lo >>> 0);
  words[i + 1] = sum;
  words[i] = words[i]! + hi + (sum > 0xffffffff ? 1 : 0);
}

/** The word rotated right; below 32 the halves keep their places, from there on they change them. */
const rotateHigh = (hi: number, lo: number, bits: number): number =>
  bits < 32 ? (hi >>> bits) | (lo << (32 - bits)) : (lo >>> (bits - 32)) | (hi << (64 - bits));
const xorRotated = (hi: number, lo: number, a: number, b: number, c: number): number =>
  rotateHigh(hi, lo, a) ^ rotateHigh(hi, lo, b) ^ rotateHigh(hi, lo, c);

function sha512(message: Uint8Array, initial: readonly bigint[], size: number): Uint8Array {
  const view = pad(message, 128);
  const state = Int32Array.from(initial.flatMap((word) => [high(word), low(word)]));
  const w = new Int32Array(160);
  const s = new Int32Array(16);
  const t1 = new Int32Array(2);
  for (let block = 0; block < view.byteLength; block += 128) {
    for (let t = 0; t < 32; t++) w[t] = view.getInt32(block + 4 * t);
    for (let t = 32; t < 160; t += 2) {
      const [xh, xl, yh, yl] = [w[t - 30]!, w[t - 29]!, w[t - 4]!, w[t - 3]!];
      w[t] = w[t - 32]!;
      w[t + 1] = w[t - 31]!;
      add64(
        w,
        t,
        rotateHigh(xh, xl, 1) ^ rotateHigh(xh, xl, 8) ^ (xh >>> 7),
        rotateHigh(xl, xh, 1) ^ rotateHigh(xl, xh, 8) ^ ((xl >>> 7) | (xh << 25)),
      );
      add64(w, t, w[t - 14]!, w[t - 13]!);
      add64(
        w,
        t,
        rotateHigh(yh, yl, 19) ^ rotateHigh(yh, yl, 61) ^ (yh >>> 6),
        rotateHigh(yl, yh, 19) ^ rotateHigh(yl, yh, 61) ^ ((yl >>> 6) | (yh << 26)),
      );
    }
    s.set(state);
    for (let t = 0; t < 160; t += 2) {
      const [ah, al, bh, bl, ch, cl] = s as unknown as [number, number, number, number, number, number];
      const [eh, el, fh, fl, gh, gl, hh, hl] = s.subarray(8) as unknown as number[];
      t1[0] = hh!;
      t1[1] = hl!;
      add64(t1, 0, xorRotated(eh!, el!, 14, 18, 41), xorRotated(el!, eh!, 14, 18, 41));
      add64(t1, 0, (eh! & fh!) ^ (~eh! & gh!), (el! & fl!) ^ (~el! & gl!));
      add64(t1, 0, k512[t]!, k512[t + 1]!);
      add64(t1, 0, w[t]!, w[t + 1]!);
      s.copyWithin(2, 0, 14);
      add64(s, 8, t1[0]!, t1[1]!);
      s[0] = t1[0]!;
      s[1] = t1[1]!;
      add64(s, 0, xorRotated(ah, al, 28, 34, 39), xorRotated(al, ah, 28, 34, 39));
      add64(s, 0, (ah & bh) ^ (ah & ch) ^ (bh & ch), (al & bl) ^ (al & cl) ^ (bl & cl));
    }
    for (let i = 0; i < 16; i += 2) add64(state, i, s[i]!, s[i + 1]!);
  }
  return toBytes(state, size);
}

export const hashes = {
  SHA1: { name: 'SHA1', size: 20, digest: sha1 },
  SHA256: { name: 'SHA256', size: 32, digest: sha256 },
  SHA384: { name: 'SHA384', size: 48, digest: (message) => sha512(message, squareRoots.slice(8), 48) },
  SHA512: { name: 'SHA512', size: 64, digest: (message) => sha512(message, squareRoots.slice(0, 8), 64) },
} as const satisfies Record<string, Hash>;
