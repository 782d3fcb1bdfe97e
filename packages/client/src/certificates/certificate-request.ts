import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  derBitString,
  derContext,
  derInteger,
  derOid,
  derSequence,
  derSet,
  pemBlocks,
  pemText,
  X509Error,
} from '@coxswain/apimachinery/der';
import {
  type CertificateRequest,
  parseCertificateRequest,
  parsePkixPublicKey,
  requestSignatureProblem,
} from '@coxswain/apimachinery/x509';
import { alternativeNames, derSubject, signatureAlgorithm } from '../x509/issue-certificate.ts';
import { nodeSignatures } from '../x509/node-signatures.ts';

/** The subject and alternative names to request. */
export interface CertificateTemplate {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
}

const extensionRequest = '1.2.840.113549.1.9.14';

/** Generates a key (ECDSA, P-256). */
export function generateKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** The key as PEM, in the form that Go's tools write: SEC 1 for EC keys, PKCS #8 otherwise. */
export function exportKey(key: KeyObject): string {
  return key.export({ type: key.asymmetricKeyType === 'ec' ? 'sec1' : 'pkcs8', format: 'pem' }).toString();
}

/**
 * Returns a certificate request (PKCS #10, PEM) signed with the key. Throws for unsupported key types and invalid
 * names.
 */
export function createCertificateRequest(template: CertificateTemplate, key: KeyObject): string {
  const names = alternativeNames(template);
  const body = derSequence(
    derInteger(Uint8Array.of(0)),
    derSubject(template),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    derContext(0, ...(names ? [derSequence(derOid(extensionRequest), derSet(derSequence(names)))] : [])),
  );
  const algorithm = signatureAlgorithm(key, 'a certificate request');
  const der = derSequence(body, algorithm, derBitString(sign('sha256', body, key)));
  return pemText('CERTIFICATE REQUEST', der);
}

/**
 * Returns why an existing request cannot be used in place of ours, in client-go's words. Returns undefined when it has
 * the same subject and is signed by our key.
 */
export function incompatibility(theirs: string, ours: string, key: KeyObject): string | undefined {
  let found: CertificateRequest;
  try {
    found = readRequest(theirs);
  } catch (error) {
    if (error instanceof X509Error) return `unable to parse new csr: ${error.message}`;
    throw error;
  }
  const [subject, own] = [subjectText(found), subjectText(readRequest(ours))];
  if (subject !== own) return `csr subjects differ: new: ${subject}, orig: ${own}`;
  const publicKey = parsePkixPublicKey(createPublicKey(key).export({ type: 'spki', format: 'der' }));
  const problem = requestSignatureProblem({ ...found, publicKey }, nodeSignatures);
  return problem && `error validating signature new CSR against old key: ${problem}`;
}

function readRequest(pem: string): CertificateRequest {
  const [block] = pemBlocks(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') throw new X509Error('PEM block type must be CERTIFICATE REQUEST');
  return parseCertificateRequest(block.bytes, nodeSignatures.isOnCurve);
}

/** The subject's attributes as sorted `oid=value` pairs, because one name has several encodings. */
const subjectText = ({ subject }: CertificateRequest): string =>
  subject.attributes
    .map(({ type, value }) => `${type}=${value}`)
    .sort()
    .join(',');
