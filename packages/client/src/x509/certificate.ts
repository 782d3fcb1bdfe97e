import { X509Certificate } from 'node:crypto';
import { pemBlocks } from '@coxswain/apimachinery/der';
import { type Certificate as ParsedCertificate, parseCertificate as parse } from '@coxswain/apimachinery/x509';
import { nodeSignatures } from './node-signatures.ts';

/** Object identifiers used in several modules. */
export const oids = {
  anyExtendedKeyUsage: '2.5.29.37.0',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

/** A parsed certificate, with Node's X509Certificate for checking signatures and keys. */
export interface Certificate extends ParsedCertificate {
  readonly x509: X509Certificate;
}

/** Parses a DER certificate. Throws an Error when it is invalid. */
export function parseCertificate(der: Uint8Array): Certificate {
  return { ...parse(der, nodeSignatures.isOnCurve), x509: new X509Certificate(der) };
}

/** Parses all certificates of a PEM text, in order; other blocks are skipped. Throws an Error for an invalid one. */
export function parseCertificatesPem(pem: string): Certificate[] {
  return [...pemBlocks(pem)].filter(({ type }) => type === 'CERTIFICATE').map(({ bytes }) => parseCertificate(bytes));
}
