import { isIPv4, parseIPSloppy } from '@coxswain/apimachinery/validation';
import { parseCertificate, readable } from '@coxswain/apimachinery/x509';
import type { PemKeyPair } from '../x509/pem-key-pair.ts';
import type { CertificateTemplate } from './certificate-request.ts';

/**
 * Whether a certificate has the template's common name and all of its organizations, DNS names and IP addresses. It may
 * have more.
 */
export function satisfiesTemplate({ x509 }: PemKeyPair, template: CertificateTemplate): boolean {
  const certificate = readable(() => parseCertificate(x509.raw));
  const { commonName, organizations = [], dnsNames = [], ipAddresses = [] } = template;
  if (certificate?.subject.commonName !== commonName) return false;
  return (
    includesAll(certificate.subject.organizations, organizations) &&
    includesAll(certificate.dnsNames, dnsNames) &&
    includesAll(certificate.ipAddresses.map(hex), ipAddresses.map(canonicalAddress))
  );
}

const includesAll = (have: readonly string[], want: readonly string[]): boolean =>
  want.every((one) => have.includes(one));

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** An IP address in hex, as 4 or 16 bytes like in certificates. */
function canonicalAddress(text: string): string {
  const bytes = parseIPSloppy(text)?.bytes;
  return bytes ? hex(isIPv4(bytes) ? bytes.subarray(12) : bytes) : text;
}
