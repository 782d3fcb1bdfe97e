import { bigIntToBytes, bytesToBigInt, sameBytes } from './der.ts';
import type { Hash } from './sha.ts';

export interface RsaPublicKey {
  readonly type: 'RSA';
  readonly modulus: bigint;
  readonly exponent: bigint;
}

const failure = 'crypto/rsa: verification error';
const minBits = 1024;
/** Differs from upstream: a bigger key would only serve to keep the server busy. */
const maxBits = 16384;

/** The beginning of what is signed: which hash follows. */
const digestPrefixes: Readonly<Record<Hash['name'], readonly number[]>> = {
  SHA1: [0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14],
  SHA256: prefix(0x31, 0x01, 0x20),
  SHA384: prefix(0x41, 0x02, 0x30),
  SHA512: prefix(0x51, 0x03, 0x40),
};

function prefix(length: number, hash: number, size: number): number[] {
  return [0x30, length, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, hash, 5, 0, 4, size];
}

const bitLength = (value: bigint): number => value.toString(2).length;
/** The size of the modulus in bytes. */
export const rsaKeySize = ({ modulus }: RsaPublicKey): number => Math.ceil(bitLength(modulus) / 8);

function keyProblem({ modulus, exponent }: RsaPublicKey): string | undefined {
  const bits = bitLength(modulus);
  if (bits < minBits)
    return `crypto/rsa: ${bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`;
  if (bits > maxBits) return failure;
  if (modulus % 2n === 0n) return 'crypto/rsa: public modulus is even';
  if (exponent < 2n) return 'crypto/rsa: public exponent too small or negative';
  if (exponent % 2n === 0n) return 'crypto/rsa: public exponent is even';
  return exponent > 2147483647n ? 'crypto/rsa: public exponent too large' : undefined;
}

/** What was signed, or nothing if the signature cannot be of this key. */
function open(key: RsaPublicKey, signature: Uint8Array): Uint8Array | undefined {
  const size = rsaKeySize(key);
  const value = bytesToBigInt(signature);
  if (signature.length !== size || value >= key.modulus) return undefined;
  let result = 1n;
  let power = value;
  for (let e = key.exponent; e > 0n; e >>= 1n) {
    if (e & 1n) result = (result * power) % key.modulus;
    power = (power * power) % key.modulus;
  }
  return bigIntToBytes(result, size);
}

/** Why the signature (PKCS #1 v1.5) is not the key's, in Go's words; undefined if it is. */
export function rsaPkcs1Problem(
  key: RsaPublicKey,
  hash: Hash,
  message: Uint8Array,
  signature: Uint8Array,
): string | undefined {
  const problem = keyProblem(key);
  if (problem) return problem;
  const opened = open(key, signature);
  const info = [...digestPrefixes[hash.name], ...hash.digest(message)];
  const filler = rsaKeySize(key) - info.length - 3;
  if (!opened || filler < 8) return failure;
  const expected = Uint8Array.from([0, 1, ...new Array<number>(filler).fill(0xff), 0, ...info]);
  return sameBytes(opened, expected) ? undefined : failure;
}

/** Why the signature (PSS) is not the key's. Without a length of salt any will do. */
export function rsaPssProblem(
  key: RsaPublicKey,
  hash: Hash,
  message: Uint8Array,
  signature: Uint8Array,
  saltLength?: number,
): string | undefined {
  const problem = keyProblem(key);
  if (problem) return problem;
  const opened = open(key, signature);
  if (!opened) return failure;
  const bits = bitLength(key.modulus) - 1;
  const size = Math.ceil(bits / 8);
  // One bit less than the key's may be one byte less.
  if (opened.subarray(0, opened.length - size).some((byte) => byte !== 0)) return failure;
  return isPssEncoding(opened.subarray(opened.length - size), bits, hash, hash.digest(message), saltLength)
    ? undefined
    : failure;
}

function isPssEncoding(
  encoded: Uint8Array,
  bits: number,
  hash: Hash,
  digest: Uint8Array,
  saltLength: number | undefined,
): boolean {
  const { size } = hash;
  const split = encoded.length - size - 1;
  if (split < 1 || encoded.at(-1) !== 0xbc) return false;
  const unusedBits = 8 * encoded.length - bits;
  const masked = encoded.subarray(0, split);
  const seed = encoded.subarray(split, split + size);
  if (masked[0]! >> (8 - unusedBits)) return false;
  const block = mask(seed, split, hash).map((byte, i) => byte ^ masked[i]!);
  block[0] = block[0]! & (0xff >> unusedBits);
  const one = block.findIndex((byte) => byte !== 0);
  if (one < 0 || block[one] !== 1) return false;
  const salt = block.subarray(one + 1);
  if (saltLength !== undefined && salt.length !== saltLength) return false;
  return sameBytes(seed, hash.digest(Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, ...digest, ...salt])));
}

/** As many bytes as asked for that follow from the seed. */
function mask(seed: Uint8Array, length: number, hash: Hash): Uint8Array {
  const result = new Uint8Array(Math.ceil(length / hash.size) * hash.size);
  for (let i = 0; i * hash.size < length; i++)
    result.set(hash.digest(Uint8Array.from([...seed, ...bigIntToBytes(BigInt(i), 4)])), i * hash.size);
  return result.subarray(0, length);
}
