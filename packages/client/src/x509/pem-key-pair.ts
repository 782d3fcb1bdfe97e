import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

/** Returns why a certificate and a key (PEM) do not match, in Go's words; undefined when they do. */
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

/** Parses a private key; returns undefined when it is invalid, because the error could quote the key. */
export function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** A certificate and its key. The key is not shown when it is printed. */
export class PemKeyPair {
  /** PEM, including the rest of the chain. */
  readonly certificate: string;
  readonly x509: X509Certificate;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly #key: string;

  /** Throws an Error in Go's words when the two do not match. */
  constructor(certificate: string, key: string) {
    const problem = keyPairProblem(certificate, key);
    if (problem) throw new Error(problem);
    this.certificate = certificate;
    this.#key = key;
    this.x509 = new X509Certificate(certificate);
    this.notBefore = Date.parse(this.x509.validFrom);
    this.notAfter = Date.parse(this.x509.validTo);
  }

  /** PEM. */
  get key(): string {
    return this.#key;
  }
}

/** Returns the blocks of that type of a PEM text, verbatim. */
export function pemBlocks(text: string, type: 'CERTIFICATE' | 'PRIVATE KEY'): string[] {
  const name = type === 'CERTIFICATE' ? 'CERTIFICATE' : '(?:[A-Z]+ )?PRIVATE KEY';
  return text.match(new RegExp(`-----BEGIN (${name})-----[^-]*-----END \\1-----`, 'g')) ?? [];
}

/** Returns the expiry time of each certificate of a PEM text. Throws for an invalid one. */
export const expiries = (pem: string): number[] =>
  pemBlocks(pem, 'CERTIFICATE').map((block) => Date.parse(new X509Certificate(block).validTo));
