import { isIPv4, parseIPSloppy } from '@coxswain/apimachinery/validation';
import { parseCertificate, readable } from '@coxswain/apimachinery/x509';
import type { PemKeyPair } from '../x509/pem-key-pair.ts';
import type { CertificateTemplate } from './certificate-request.ts';

/** Whether a certificate is for all that the template asks for; it may be for more. */
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

/** Four bytes or sixteen, as a certificate has it. */
function canonicalAddress(text: string): string {
  const bytes = parseIPSloppy(text)?.bytes;
  return bytes ? hex(isIPv4(bytes) ? bytes.subarray(12) : bytes) : text;
}
