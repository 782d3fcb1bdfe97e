import { isIPv4, parseIPSloppy } from '@coxswain/apimachinery/validation';
import type { CertificateTemplate } from './certificate-request.ts';
import type { KeyPair } from './key-pair.ts';

/** Whether a certificate is for all that the template asks for; it may be for more. */
export function satisfiesTemplate({ x509 }: KeyPair, template: CertificateTemplate): boolean {
  const subject = x509.toLegacyObject().subject;
  const { commonName, organizations = [], dnsNames = [], ipAddresses = [] } = template;
  if (!valuesOf(subject, 'CN').includes(commonName)) return false;
  const names = alternativeNames(x509.subjectAltName ?? '');
  return (
    includesAll(valuesOf(subject, 'O'), organizations) &&
    includesAll(names.dns, dnsNames) &&
    includesAll(names.addresses, ipAddresses.map(canonicalAddress))
  );
}

const includesAll = (have: readonly string[], want: readonly string[]): boolean =>
  want.every((one) => have.includes(one));

/** Several values of one kind come as a list. */
function valuesOf(subject: object, kind: string): string[] {
  const found: unknown = Object.getOwnPropertyDescriptor(subject, kind)?.value;
  return found === undefined ? [] : [found].flat().map(String);
}

/** `DNS:a, IP Address:10.0.0.1` */
function alternativeNames(text: string): { readonly dns: string[]; readonly addresses: string[] } {
  const parts = text.split(', ');
  const after = (prefix: string): string[] =>
    parts.filter((part) => part.startsWith(prefix)).map((part) => part.slice(prefix.length));
  return { dns: after('DNS:'), addresses: after('IP Address:').map(canonicalAddress) };
}

function canonicalAddress(text: string): string {
  const bytes = parseIPSloppy(text)?.bytes;
  return bytes ? Buffer.from(isIPv4(bytes) ? bytes.subarray(12) : bytes).toString('hex') : text;
}
