import { DerReader, tags, toHex } from './der.ts';
import { verifyEcdsa } from './ecdsa.ts';
import { verifyEd25519 } from './ed25519.ts';
import type { AlgorithmIdentifier, PublicKey } from './public-key.ts';
import { rsaPkcs1Problem, rsaPssProblem } from './rsa.ts';
import { type Hash, hashes } from './sha.ts';

interface SignatureAlgorithm {
  readonly key: 'RSA' | 'ECDSA' | 'Ed25519' | 'DSA';
  readonly hash?: Hash;
  readonly isPss?: boolean;
}

const unsupported = 'x509: cannot verify signature: algorithm unimplemented';
const md5WithRsa = '2a864886f70d010104';
const rsaPss = '2a864886f70d01010a';
const mgf1 = '2a864886f70d010108';

const algorithms: ReadonlyMap<string, SignatureAlgorithm> = new Map<string, SignatureAlgorithm>([
  ['2a864886f70d010105', { key: 'RSA', hash: hashes.SHA1 }],
  ['2b0e03021d', { key: 'RSA', hash: hashes.SHA1 }],
  ['2a864886f70d01010b', { key: 'RSA', hash: hashes.SHA256 }],
  ['2a864886f70d01010c', { key: 'RSA', hash: hashes.SHA384 }],
  ['2a864886f70d01010d', { key: 'RSA', hash: hashes.SHA512 }],
  ['2a8648ce380403', { key: 'DSA', hash: hashes.SHA1 }],
  ['608648016503040302', { key: 'DSA', hash: hashes.SHA256 }],
  ['2a8648ce3d0401', { key: 'ECDSA', hash: hashes.SHA1 }],
  ['2a8648ce3d040302', { key: 'ECDSA', hash: hashes.SHA256 }],
  ['2a8648ce3d040303', { key: 'ECDSA', hash: hashes.SHA384 }],
  ['2a8648ce3d040304', { key: 'ECDSA', hash: hashes.SHA512 }],
]);

const pssHashes: ReadonlyMap<string, Hash> = new Map<string, Hash>([
  ['608648016503040201', hashes.SHA256],
  ['608648016503040202', hashes.SHA384],
  ['608648016503040203', hashes.SHA512],
]);

function algorithmOf({ oid, parameters }: AlgorithmIdentifier): SignatureAlgorithm | undefined {
  if (oid === '2b6570') return parameters.length === 0 ? { key: 'Ed25519' } : undefined;
  return oid === rsaPss ? pssAlgorithm(parameters) : algorithms.get(oid);
}

/** One hash for everything, salt as long as that, and nothing special: others are not known. */
function pssAlgorithm(parameters: Uint8Array): SignatureAlgorithm | undefined {
  try {
    const reader = new DerReader(parameters).enter(tags.sequence, '');
    const hashOid = algorithmIn(reader.enter(0xa0, ''));
    const mask = reader.enter(0xa1, '').enter(tags.sequence, '');
    if (mask.oid('') !== mgf1 || algorithmIn(mask) !== hashOid) return undefined;
    const saltLength = reader.enter(0xa2, '').integer('');
    const hash = pssHashes.get(hashOid);
    const isPlain = reader.isEmpty || reader.enter(0xa3, '').integer('') === 1n;
    return hash && isPlain && saltLength === BigInt(hash.size) ? { key: 'RSA', hash, isPss: true } : undefined;
  } catch {
    return undefined;
  }
}

function algorithmIn(reader: DerReader): string {
  const inner = reader.enter(tags.sequence, '');
  const oid = inner.oid('');
  const rest = inner.next();
  return rest === undefined || toHex(rest.raw) === '0500' ? oid : '';
}

const goTypes = { RSA: '*rsa.PublicKey', ECDSA: '*ecdsa.PublicKey', Ed25519: 'ed25519.PublicKey' } as const;

/** Why the signature is not the key's, in Go's words; undefined if it is. */
export function signatureProblem(
  identifier: AlgorithmIdentifier,
  key: PublicKey | undefined,
  message: Uint8Array,
  signature: Uint8Array,
): string | undefined {
  if (identifier.oid === md5WithRsa) return 'x509: cannot verify signature: insecure algorithm MD5-RSA';
  const algorithm = algorithmOf(identifier);
  if (!algorithm || !key || key.type === 'Other') return unsupported;
  if (algorithm.key !== key.type)
    return `x509: signature algorithm specifies an ${algorithm.key} public key, but have public key of type ${goTypes[key.type]}`;
  if (key.type === 'Ed25519')
    return verifyEd25519(key, message, signature) ? undefined : 'x509: Ed25519 verification failure';
  const hash = algorithm.hash!;
  if (key.type === 'ECDSA')
    return verifyEcdsa(key, hash.digest(message), signature) ? undefined : 'x509: ECDSA verification failure';
  return algorithm.isPss
    ? rsaPssProblem(key, hash, message, signature, hash.size)
    : rsaPkcs1Problem(key, hash, message, signature);
}
