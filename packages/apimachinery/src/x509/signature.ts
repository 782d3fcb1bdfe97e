import { DerReader, derTags, toHex } from '../der/der-reader.ts';
import type { CertificateRequest } from './certificate-request.ts';
import {
  type AlgorithmIdentifier,
  type EcPublicKey,
  type Ed25519PublicKey,
  type PublicKey,
  type RsaPublicKey,
  rsaKeyProblem,
} from './public-key.ts';
import { readable } from './readable.ts';

export type HashName = 'SHA1' | 'SHA256' | 'SHA384' | 'SHA512';

/** A signature, and the message, key and scheme that it is verified with. */
export type Signed = { readonly message: Uint8Array; readonly signature: Uint8Array } & (
  | { readonly scheme: 'RSA-PKCS1'; readonly key: RsaPublicKey; readonly hash: HashName }
  /** Without `saltLength` any length is accepted. The hash is also that of the mask. */
  | { readonly scheme: 'RSA-PSS'; readonly key: RsaPublicKey; readonly hash: HashName; readonly saltLength?: number }
  /** The signature is a DER sequence of two integers. */
  | { readonly scheme: 'ECDSA'; readonly key: EcPublicKey; readonly hash: HashName }
  | { readonly scheme: 'Ed25519'; readonly key: Ed25519PublicKey }
);

/**
 * The verification of signatures on a platform. It handles public data only, is synchronous, and never throws. There are two:
 * `nodeSignatures` of `@coxswain/client/x509`, and `portableSignatures` of `@coxswain/apimachinery/signatures`, which runs anywhere.
 */
export interface SignatureVerifier {
  /** Whether the key signed the message; undefined where this platform cannot determine it. */
  readonly verify: (signed: Signed) => boolean | undefined;
  /** Whether the point of the key, in its uncompressed form, is on the curve; undefined where this platform cannot determine it. */
  readonly isOnCurve: (key: EcPublicKey) => boolean | undefined;
}

const failures: Readonly<Record<Signed['scheme'], string>> = {
  'RSA-PKCS1': 'crypto/rsa: verification error',
  'RSA-PSS': 'crypto/rsa: verification error',
  ECDSA: 'x509: ECDSA verification failure',
  Ed25519: 'x509: Ed25519 verification failure',
};

/** Returns why the signature is not the key's, in Go's words; undefined if it is, and where the platform cannot determine it. */
export function verificationProblem(signed: Signed, verifier: SignatureVerifier): string | undefined {
  const problem = signed.key.type === 'RSA' ? rsaKeyProblem(signed.key) : undefined;
  return problem ?? (verifier.verify(signed) === false ? failures[signed.scheme] : undefined);
}

interface SignatureAlgorithm {
  readonly key: 'RSA' | 'ECDSA' | 'DSA';
  readonly hash: HashName;
  readonly saltLength?: number;
}

const unsupported = 'x509: cannot verify signature: algorithm unimplemented';
const md5WithRsa = '1.2.840.113549.1.1.4';
const rsaPss = '1.2.840.113549.1.1.10';
const mgf1 = '1.2.840.113549.1.1.8';
const ed25519 = '1.3.101.112';

const algorithms: ReadonlyMap<string, SignatureAlgorithm> = new Map<string, SignatureAlgorithm>([
  ['1.2.840.113549.1.1.5', { key: 'RSA', hash: 'SHA1' }],
  ['1.3.14.3.2.29', { key: 'RSA', hash: 'SHA1' }],
  ['1.2.840.113549.1.1.11', { key: 'RSA', hash: 'SHA256' }],
  ['1.2.840.113549.1.1.12', { key: 'RSA', hash: 'SHA384' }],
  ['1.2.840.113549.1.1.13', { key: 'RSA', hash: 'SHA512' }],
  ['1.2.840.10040.4.3', { key: 'DSA', hash: 'SHA1' }],
  ['2.16.840.1.101.3.4.3.2', { key: 'DSA', hash: 'SHA256' }],
  ['1.2.840.10045.4.1', { key: 'ECDSA', hash: 'SHA1' }],
  ['1.2.840.10045.4.3.2', { key: 'ECDSA', hash: 'SHA256' }],
  ['1.2.840.10045.4.3.3', { key: 'ECDSA', hash: 'SHA384' }],
  ['1.2.840.10045.4.3.4', { key: 'ECDSA', hash: 'SHA512' }],
]);

const pssHashes: ReadonlyMap<string, { readonly hash: HashName; readonly size: bigint }> = new Map([
  ['2.16.840.1.101.3.4.2.1', { hash: 'SHA256', size: 32n }],
  ['2.16.840.1.101.3.4.2.2', { hash: 'SHA384', size: 48n }],
  ['2.16.840.1.101.3.4.2.3', { hash: 'SHA512', size: 64n }],
]);

/** As Go, supports only one hash for message and mask, a salt as long as the hash, and the default trailer. */
function pssAlgorithm(parameters: Uint8Array): SignatureAlgorithm | undefined {
  return readable(() => {
    const reader = new DerReader(parameters).enter(derTags.sequence, unsupported);
    const hashOid = algorithmIn(reader.enter(0xa0, unsupported));
    const mask = reader.enter(0xa1, unsupported).enter(derTags.sequence, unsupported);
    if (mask.oid(unsupported) !== mgf1 || algorithmIn(mask) !== hashOid) return undefined;
    const saltLength = reader.enter(0xa2, unsupported).integer(unsupported);
    const known = pssHashes.get(hashOid);
    const isPlain = reader.isEmpty || reader.enter(0xa3, unsupported).integer(unsupported) === 1n;
    if (!known || !isPlain || saltLength !== known.size) return undefined;
    return { key: 'RSA', hash: known.hash, saltLength: Number(saltLength) };
  });
}

function algorithmIn(reader: DerReader): string {
  const inner = reader.enter(derTags.sequence, unsupported);
  const oid = inner.oid(unsupported);
  const rest = inner.next();
  return rest === undefined || toHex(rest.raw.subarray(0, 8)) === '0500' ? oid : '';
}

const goTypes = { RSA: '*rsa.PublicKey', ECDSA: '*ecdsa.PublicKey', Ed25519: 'ed25519.PublicKey' } as const;
const wrongKey = (expected: string, key: keyof typeof goTypes): string =>
  `x509: signature algorithm specifies an ${expected} public key, but have public key of type ${goTypes[key]}`;

/** Returns why the signature is not the key's, like `verificationProblem`, for an algorithm identifier of X.509. */
export function signatureProblem(
  { oid, parameters }: AlgorithmIdentifier,
  key: PublicKey | undefined,
  message: Uint8Array,
  signature: Uint8Array,
  verifier: SignatureVerifier,
): string | undefined {
  if (oid === md5WithRsa) return 'x509: cannot verify signature: insecure algorithm MD5-RSA';
  if (oid === ed25519) {
    if (parameters.length > 0 || !key || key.type === 'Other') return unsupported;
    if (key.type !== 'Ed25519') return wrongKey('Ed25519', key.type);
    return verificationProblem({ scheme: 'Ed25519', key, message, signature }, verifier);
  }
  const algorithm = oid === rsaPss ? pssAlgorithm(parameters) : algorithms.get(oid);
  if (!algorithm || !key || key.type === 'Other') return unsupported;
  const { hash, saltLength } = algorithm;
  if (key.type === 'ECDSA' && algorithm.key === 'ECDSA')
    return verificationProblem({ scheme: 'ECDSA', key, hash, message, signature }, verifier);
  if (key.type === 'RSA' && algorithm.key === 'RSA') {
    const signed = { key, hash, message, signature };
    return saltLength === undefined
      ? verificationProblem({ scheme: 'RSA-PKCS1', ...signed }, verifier)
      : verificationProblem({ scheme: 'RSA-PSS', saltLength, ...signed }, verifier);
  }
  return wrongKey(algorithm.key, key.type);
}

/** Returns why the request is not signed by the key in it, in Go's words; undefined if it is. */
export function requestSignatureProblem(request: CertificateRequest, verifier: SignatureVerifier): string | undefined {
  const { signatureAlgorithm, publicKey, body, signature } = request;
  return signatureProblem(signatureAlgorithm, publicKey, body, signature, verifier);
}
