import { type PemBlock, pemBlocks, X509Error } from '@coxswain/apimachinery/der';
import {
  type PublicHalf,
  type PublicKey,
  parseCertificate,
  publicHalfOf,
  readable,
  sameBytes,
} from '@coxswain/apimachinery/x509';

interface Search {
  readonly block?: PemBlock;
  readonly skipped: readonly string[];
}

function findBlock(text: string, isWanted: (type: string) => boolean): Search {
  const skipped: string[] = [];
  for (const block of pemBlocks(text)) {
    if (isWanted(block.type)) return { block, skipped };
    skipped.push(block.type);
  }
  return { skipped };
}

/**
 * Returns the error in a certificate and its private key, with the message of Go's TLS library; undefined when they are
 * valid.
 *
 * Differs from upstream: only the public part of the private key is parsed. An elliptic curve key is compared with the
 * certificate only when it contains its public key.
 */
export function keyPairProblem(certificate: string, key: string): string | undefined {
  const cert = findBlock(certificate, (type) => type === 'CERTIFICATE');
  if (!cert.block) {
    if (cert.skipped.length === 0) return 'tls: failed to find any PEM data in certificate input';
    if (cert.skipped.length === 1 && cert.skipped[0]!.endsWith('PRIVATE KEY'))
      return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
    return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${cert.skipped.join(' ')}]`;
  }
  const privateKey = findBlock(key, (type) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'));
  if (!privateKey.block) {
    if (privateKey.skipped.length === 0) return 'tls: failed to find any PEM data in key input';
    if (privateKey.skipped.length === 1 && privateKey.skipped[0] === 'CERTIFICATE')
      return 'tls: found a certificate rather than a key in the PEM for the private key';
    return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${privateKey.skipped.join(' ')}]`;
  }
  let publicKey: PublicKey | undefined;
  try {
    publicKey = parseCertificate(cert.block.bytes).publicKey;
  } catch (error) {
    if (error instanceof X509Error) return error.message;
    throw error;
  }
  const { bytes } = privateKey.block;
  const half = readable(() => publicHalfOf(bytes));
  if (!half) return 'tls: failed to parse private key';
  return mismatch(publicKey, half);
}

function mismatch(key: PublicKey | undefined, half: PublicHalf): string | undefined {
  if (!key || key.type === 'Other') return 'tls: unknown public key algorithm';
  if (key.type !== half.type) return 'tls: private key type does not match public key type';
  const isSame =
    key.type === 'RSA' && half.type === 'RSA'
      ? sameBytes(key.modulus, half.modulus)
      : key.type !== 'ECDSA' || half.type !== 'ECDSA' || !half.point || sameBytes(key.point, half.point);
  return isSame ? undefined : 'tls: private key does not match public key';
}
