import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { type Certificate, parseCertificatesPem } from './certificate.ts';
import { type CertificateIssuer, type CertificateTemplate, issueCertificate } from './issue-certificate.ts';

/** A certificate and its private key. */
export interface KeyPair {
  readonly certificate: Certificate;
  readonly key: KeyObject;
  /** The text of the file, including further certificates of the chain. */
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface KeyPairFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** Issues a certificate for a key; self-signed without an issuer. Generates a P-256 key when none is given. */
export function issueKeyPair(template: CertificateTemplate, issuer?: CertificateIssuer, given?: KeyObject): KeyPair {
  const key = given ?? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const certificate = issueCertificate(template, createPublicKey(key), issuer ?? { key });
  const type = key.asymmetricKeyType === 'ec' ? 'sec1' : 'pkcs8';
  const keyPem = key.export({ type, format: 'pem' }).toString();
  return { certificate, key, certificatePem: certificate.x509.toString(), keyPem };
}

/**
 * Loads a pair from files (`--tls-cert-file`, `--tls-private-key-file`). Rejects with an Error that names the file and
 * the problem: it cannot be read, the key belongs to another certificate, or the certificate is not valid now.
 */
export async function loadKeyPair(files: KeyPairFiles, now: () => Date): Promise<KeyPair> {
  const [certificatePem, keyPem] = await Promise.all([
    readFile(files.certificateFile, 'utf8'),
    readFile(files.keyFile, 'utf8'),
  ]);
  const certificate = firstCertificate(files.certificateFile, certificatePem);
  const key = privateKey(files.keyFile, keyPem);
  const problem = pairProblem(certificate, key, now());
  if (problem) throw new Error(`${files.certificateFile}: ${problem}`);
  return { certificate, certificatePem, key, keyPem };
}

/** Returns why the pair cannot be used now; undefined when it can. */
export function pairProblem(certificate: Certificate, key: KeyObject, now: Date): string | undefined {
  if (!certificate.x509.checkPrivateKey(key)) return 'the private key is for another certificate';
  return validityProblem(certificate, now);
}

export function validityProblem({ notBefore, notAfter }: Certificate, now: Date): string | undefined {
  if (now < notBefore) return `the certificate is not valid before ${timeFromDate(notBefore)}`;
  if (now > notAfter) return `the certificate has expired at ${timeFromDate(notAfter)}`;
  return undefined;
}

/** Returns the first certificate of a PEM text. Throws an Error that names the file when there is none. */
export function firstCertificate(file: string, pem: string): Certificate {
  let certificates: Certificate[];
  try {
    certificates = parseCertificatesPem(pem);
  } catch (cause) {
    throw new Error(`${file}: the certificate cannot be read`, { cause });
  }
  const [first] = certificates;
  if (!first) throw new Error(`${file}: there is no certificate in it`);
  return first;
}

/** Parses a private key. Throws an Error that names the file but does not quote it. */
export function privateKey(file: string, pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // The cause could quote the key.
    throw new Error(`${file}: there is no private key in it that can be read`);
  }
}
