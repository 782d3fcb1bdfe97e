import { bigIntToBytes, bytesToBigInt, sameBytes } from './der.ts';
import { hashes } from './sha.ts';

export interface Ed25519PublicKey {
  readonly type: 'Ed25519';
  readonly bytes: Uint8Array;
}

const p = 2n ** 255n - 19n;
const order = 2n ** 252n + 27742317777372353535851937790883648493n;
const signBit = 2n ** 255n;

const mod = (value: bigint): bigint => {
  const rest = value % p;
  return rest < 0n ? rest + p : rest;
};

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [b, e] = [base, exponent]; e > 0n; e >>= 1n) {
    if (e & 1n) result = (result * b) % p;
    b = (b * b) % p;
  }
  return result;
}

const d = mod(-121665n * power(121666n, p - 2n));
const rootOfMinusOne = power(2n, (p - 1n) / 4n);

/** Extended coordinates of a point of the twisted Edwards curve: x = X/Z, y = Y/Z, xy = T/Z. */
type Extended = readonly [x: bigint, y: bigint, z: bigint, t: bigint];
const zero: Extended = [0n, 1n, 1n, 0n];

function add([x1, y1, z1, t1]: Extended, [x2, y2, z2, t2]: Extended): Extended {
  const a = mod((y1 - x1) * (y2 - x2));
  const b = mod((y1 + x1) * (y2 + x2));
  const c = mod(2n * t1 * t2 * d);
  const e = 2n * z1 * z2;
  const [f, g, h, i] = [b - a, e - c, e + c, b + a];
  return [mod(f * g), mod(h * i), mod(g * h), mod(f * i)];
}

function multiply(point: Extended, factor: bigint): Extended {
  let result = zero;
  for (let [base, k] = [point, factor]; k > 0n; k >>= 1n) {
    if (k & 1n) result = add(result, base);
    base = add(base, base);
  }
  return result;
}

const littleEndian = (bytes: Uint8Array): bigint => bytesToBigInt(bytes.slice().reverse());

/** The point that 32 bytes stand for, if they stand for one: y, and which of the two x. */
function decompress(bytes: Uint8Array): Extended | undefined {
  const value = littleEndian(bytes);
  const isOdd = value >= signBit;
  const y = mod(isOdd ? value - signBit : value);
  const [u, v] = [mod(y * y - 1n), mod(d * y * y + 1n)];
  let x = mod(u * v ** 3n * power(mod(u * v ** 7n), (p - 5n) / 8n));
  const check = mod(v * x * x);
  if (check === mod(-u)) x = mod(x * rootOfMinusOne);
  else if (check !== u) return undefined;
  if (((x & 1n) === 1n) !== isOdd) x = mod(-x);
  return [x, y, 1n, mod(x * y)];
}

function compress([x, y, z]: Extended): Uint8Array {
  const zi = power(z, p - 2n);
  const value = mod(y * zi) + ((mod(x * zi) & 1n) === 1n ? signBit : 0n);
  return bigIntToBytes(value, 32).reverse();
}

const base = decompress(bigIntToBytes(mod(4n * power(5n, p - 2n)), 32).reverse())!;

/** Whether the signature of the message is the key's. */
export function verifyEd25519({ bytes }: Ed25519PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  const key = decompress(bytes);
  if (!key || signature.length !== 64) return false;
  const r = signature.subarray(0, 32);
  const s = littleEndian(signature.subarray(32));
  if (s >= order) return false;
  const hashed = new Uint8Array(64 + message.length);
  hashed.set(r);
  hashed.set(bytes, 32);
  hashed.set(message, 64);
  const k = littleEndian(hashes.SHA512.digest(hashed)) % order;
  const [x, y, z, t] = key;
  const negated: Extended = [mod(-x), y, z, mod(-t)];
  return sameBytes(compress(add(multiply(base, s), multiply(negated, k))), r);
}
