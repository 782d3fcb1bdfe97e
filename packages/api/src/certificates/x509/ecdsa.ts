import { bytesToBigInt, DerReader, tags } from './der.ts';

/** A curve y² = x³ − 3x + b over the integers modulo p, with a point G of the prime order n. */
export interface Curve {
  readonly name: string;
  readonly p: bigint;
  readonly n: bigint;
  readonly b: bigint;
  readonly g: Point;
  /** Bytes of a coordinate. */
  readonly size: number;
}

export interface EcPublicKey {
  readonly type: 'ECDSA';
  readonly curve: Curve;
  readonly point: Point;
}

interface Point {
  readonly x: bigint;
  readonly y: bigint;
}

function curve(name: string, p: bigint, n: bigint, b: bigint, x: bigint, y: bigint): Curve {
  return { name, p, n, b, g: { x, y }, size: Math.ceil(p.toString(16).length / 2) };
}

/** By the object identifier of the curve. */
export const curves: ReadonlyMap<string, Curve> = new Map([
  [
    '2b81040021',
    curve(
      'P-224',
      2n ** 224n - 2n ** 96n + 1n,
      0xffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3dn,
      0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4n,
      0xb70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21n,
      0xbd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34n,
    ),
  ],
  [
    '2a8648ce3d030107',
    curve(
      'P-256',
      2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
      0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
      0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
      0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
      0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
    ),
  ],
  [
    '2b81040022',
    curve(
      'P-384',
      2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
      0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
      0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
      0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7n,
      0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5fn,
    ),
  ],
  [
    '2b81040023',
    curve(
      'P-521',
      2n ** 521n - 1n,
      0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
      0x51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
      0xc6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66n,
      0x11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650n,
    ),
  ],
]);

const mod = (value: bigint, modulus: bigint): bigint => {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
};

export const isOnCurve = ({ p, b }: Curve, { x, y }: Point): boolean =>
  x < p && y < p && mod(y * y - (x * x * x - 3n * x + b), p) === 0n;

function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, u, v] = [mod(value, modulus), modulus, 1n, 0n];
  while (a > 1n) {
    const quotient = b / a;
    [a, b, u, v] = [b % a, a, v - quotient * u, u];
  }
  return mod(u, modulus);
}

/** A point as x/z², y/z³, which can be added to without division; z is 0 at infinity. */
type Jacobian = readonly [x: bigint, y: bigint, z: bigint];
const infinity: Jacobian = [1n, 1n, 0n];

function double([x, y, z]: Jacobian, p: bigint): Jacobian {
  if (z === 0n || y === 0n) return infinity;
  const z2 = (z * z) % p;
  const y2 = (y * y) % p;
  const s = (4n * x * y2) % p;
  const m = mod(3n * (x - z2) * (x + z2), p);
  const x3 = mod(m * m - 2n * s, p);
  return [x3, mod(m * (s - x3) - 8n * y2 * y2, p), (2n * y * z) % p];
}

function add(a: Jacobian, b: Jacobian, p: bigint): Jacobian {
  if (a[2] === 0n) return b;
  if (b[2] === 0n) return a;
  const [az2, bz2] = [(a[2] * a[2]) % p, (b[2] * b[2]) % p];
  const [u1, u2] = [(a[0] * bz2) % p, (b[0] * az2) % p];
  const [s1, s2] = [(a[1] * bz2 * b[2]) % p, (b[1] * az2 * a[2]) % p];
  if (u1 === u2) return s1 === s2 ? double(a, p) : infinity;
  const h = mod(u2 - u1, p);
  const r = mod(s2 - s1, p);
  const h2 = (h * h) % p;
  const h3 = (h2 * h) % p;
  const v = (u1 * h2) % p;
  const x = mod(r * r - h3 - 2n * v, p);
  return [x, mod(r * (v - x) - s1 * h3, p), (h * a[2] * b[2]) % p];
}

/** u·G + v·Q, both at once. */
function combine({ p, g }: Curve, u: bigint, v: bigint, q: Point): Jacobian {
  const [gj, qj]: Jacobian[] = [
    [g.x, g.y, 1n],
    [q.x, q.y, 1n],
  ];
  const both = add(gj!, qj!, p);
  let sum = infinity;
  for (let i = Math.max(u.toString(2).length, v.toString(2).length) - 1; i >= 0; i--) {
    sum = double(sum, p);
    const [hasG, hasQ] = [(u >> BigInt(i)) & 1n, (v >> BigInt(i)) & 1n];
    if (hasG && hasQ) sum = add(sum, both, p);
    else if (hasG) sum = add(sum, gj!, p);
    else if (hasQ) sum = add(sum, qj!, p);
  }
  return sum;
}

/** Whether the signature, a DER sequence of two integers, is the key's for the digest. */
export function verifyEcdsa({ curve: on, point }: EcPublicKey, digest: Uint8Array, signature: Uint8Array): boolean {
  const pair = readSignature(signature);
  if (!pair) return false;
  const [r, s] = pair;
  if (r <= 0n || r >= on.n || s <= 0n || s >= on.n) return false;
  // Of a digest longer than the order, only as many bits count.
  const excess = digest.length * 8 - on.n.toString(2).length;
  const e = bytesToBigInt(digest) >> BigInt(Math.max(0, excess));
  const w = inverse(s, on.n);
  const [x, , z] = combine(on, (e * w) % on.n, (r * w) % on.n, point);
  if (z === 0n) return false;
  const zi = inverse(z, on.p);
  return ((x * zi * zi) % on.p) % on.n === r;
}

function readSignature(signature: Uint8Array): readonly [bigint, bigint] | undefined {
  try {
    const outer = new DerReader(signature);
    const inner = outer.enter(tags.sequence, '');
    const pair = [inner.integer(''), inner.integer('')] as const;
    return outer.isEmpty && inner.isEmpty ? pair : undefined;
  } catch {
    return undefined;
  }
}
