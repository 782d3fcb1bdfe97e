import { createHash, createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { pemBlocks } from '@coxswain/apimachinery/der';

export type JwtAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

/** A public key to verify service-account tokens. The key determines the algorithm, not the token. */
export interface VerificationKey {
  /** The `kid` of tokens: the hash of the public key. */
  readonly keyId: string;
  readonly algorithm: JwtAlgorithm;
  readonly publicKey: KeyObject;
}

export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
}

const curves: Readonly<Record<string, JwtAlgorithm>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): JwtAlgorithm | undefined {
  if (asymmetricKeyType === 'rsa') return 'RS256';
  return asymmetricKeyType === 'ec' ? curves[asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
}

function toVerificationKey(publicKey: KeyObject): VerificationKey | undefined {
  const algorithm = algorithmOf(publicKey);
  if (!algorithm) return undefined;
  const keyId = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  return { keyId, algorithm, publicKey };
}

/** Returns the signing key for a private key. Throws an Error when it is neither RSA nor on a supported curve. */
export function toSigningKey(privateKey: KeyObject): SigningKey {
  const key = toVerificationKey(createPublicKey(privateKey));
  if (key) return { ...key, privateKey };
  throw new Error(
    privateKey.asymmetricKeyType === 'ec'
      ? 'unknown private key curve, must be 256, 384, or 521'
      : 'data does not contain a valid RSA or ECDSA private key',
  );
}

const privateKeyForms: Readonly<Record<string, 'pkcs1' | 'pkcs8' | 'sec1'>> = {
  'RSA PRIVATE KEY': 'pkcs1',
  'PRIVATE KEY': 'pkcs8',
  'EC PRIVATE KEY': 'sec1',
};

/** Yields the key of each usable PEM block. Blocks that cannot be parsed (such as EC parameters) are skipped. */
function* readBlocks(
  pem: string,
  read: (type: string, bytes: Buffer) => KeyObject | undefined,
): Generator<KeyObject, void> {
  for (const { type, bytes } of pemBlocks(pem)) {
    let key: KeyObject | undefined;
    try {
      key = read(type, Buffer.from(bytes));
    } catch {
      continue;
    }
    if (key) yield key;
  }
}

function readPrivateKey(type: string, key: Buffer): KeyObject | undefined {
  const form = privateKeyForms[type];
  return form && createPrivateKey({ key, format: 'der', type: form });
}

function readPublicKey(type: string, key: Buffer): KeyObject | undefined {
  if (type === 'PUBLIC KEY') return createPublicKey({ key, format: 'der', type: 'spki' });
  if (type === 'CERTIFICATE') return new X509Certificate(key).publicKey;
  const privateKey = readPrivateKey(type, key);
  return privateKey && createPublicKey(privateKey);
}

/**
 * Returns the first private key of a PEM text (`--service-account-signing-key-file`). Throws an Error when there is
 * none.
 */
export function parseSigningKey(pem: string): SigningKey {
  for (const privateKey of readBlocks(pem, readPrivateKey)) return toSigningKey(privateKey);
  throw new Error('data does not contain a valid RSA or ECDSA private key');
}

/**
 * Returns the public keys of a PEM text (`--service-account-key-file`), from public keys, private keys and
 * certificates, in order. Throws an Error when there is none.
 */
export function parseVerificationKeys(pem: string): VerificationKey[] {
  const keys = [...readBlocks(pem, readPublicKey)].flatMap((key) => toVerificationKey(key) ?? []);
  if (keys.length === 0) throw new Error('data does not contain any valid RSA or ECDSA public keys');
  return keys;
}
