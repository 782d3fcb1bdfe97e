import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

/** Why a certificate and a key, both PEM, do not make a pair, in Go's words; undefined when they do. */
export function keyPairProblem(certificate: string, key: string): string | undefined {
  if (!certificate.includes('-----BEGIN CERTIFICATE-----'))
    return 'tls: failed to find any PEM data in certificate input';
  if (!key.includes('PRIVATE KEY-----')) return 'tls: failed to find any PEM data in key input';
  let x509: X509Certificate;
  try {
    x509 = new X509Certificate(certificate);
  } catch {
    return 'x509: malformed certificate';
  }
  const parsed = readPrivateKey(key);
  if (!parsed) return 'tls: failed to parse private key';
  return x509.checkPrivateKey(parsed) ? undefined : 'tls: private key does not match public key';
}

/** Undefined for what is no private key. The error could quote the key, so there is none. */
export function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
