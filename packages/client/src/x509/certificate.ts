import { X509Certificate } from 'node:crypto';
import { pemBlocks } from '@coxswain/apimachinery/der';
import { type Certificate as ParsedCertificate, parseCertificate as parse } from '@coxswain/apimachinery/x509';
import { nodeSignatures } from './node-signatures.ts';

/** Identifiers that more than one place knows. */
export const oids = {
  anyExtendedKeyUsage: '2.5.29.37.0',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

/** A parsed certificate, and what OpenSSL makes of it: that checks signatures and keys. */
export interface Certificate extends ParsedCertificate {
  readonly x509: X509Certificate;
}

/** Reads one certificate in DER. Throws an Error when it is none. */
export function parseCertificate(der: Uint8Array): Certificate {
  return { ...parse(der, nodeSignatures.isOnCurve), x509: new X509Certificate(der) };
}

/** All certificates of a PEM text, in order; other blocks are passed over. Throws an Error for one that cannot be read. */
export function parseCertificatesPem(pem: string): Certificate[] {
  return [...pemBlocks(pem)].filter(({ type }) => type === 'CERTIFICATE').map(({ bytes }) => parseCertificate(bytes));
}
