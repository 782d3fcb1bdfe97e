import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4, parseIPSloppy } from '@coxswain/apimachinery';
import { type Certificate, oids, parseCertificate } from './certificate.ts';
import {
  derBitString,
  derContext,
  derElement,
  derInteger,
  derNull,
  derOctetString,
  derOid,
  derSequence,
  derSet,
  derTime,
  derTrue,
  derUtf8String,
} from './der-writer.ts';

/** What a certificate is to say. */
export interface CertificateTemplate {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** Other attributes of the subject, by dotted identifier. */
  readonly attributes?: Readonly<Record<string, string>>;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** It may sign other certificates; then it has no usages. */
  readonly isCA?: boolean;
  readonly usages?: readonly ('serverAuth' | 'clientAuth')[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
}

/** Who signs. Without a certificate, the new one is signed by its own key. */
export interface CertificateIssuer {
  readonly certificate?: Certificate;
  readonly key: KeyObject;
}

const usageOids = { serverAuth: oids.serverAuth, clientAuth: oids.clientAuth } as const;
const digitalSignature = derBitString(Buffer.of(0x80), 7);
const signsCertificates = derBitString(Buffer.of(0xa4), 2);

/**
 * A certificate (X.509 v3) for the public key, with a random serial number. Throws when a name or the issuer's key is of
 * a kind that cannot be written.
 */
export function issueCertificate(
  template: CertificateTemplate,
  publicKey: KeyObject,
  issuer: CertificateIssuer,
): Certificate {
  const keyInfo = publicKey.export({ type: 'spki', format: 'der' });
  const subject = subjectName(template);
  const algorithm = signatureAlgorithm(issuer.key);
  const body = derSequence(
    derContext(0, derInteger(Buffer.of(2))),
    derInteger(serialNumber()),
    algorithm,
    issuer.certificate?.subject ?? subject,
    derSequence(derTime(template.notBefore), derTime(template.notAfter)),
    subject,
    keyInfo,
    derContext(3, derSequence(...extensions(template, keyInfo, issuer.certificate))),
  );
  return parseCertificate(derSequence(body, algorithm, derBitString(sign('sha256', body, issuer.key))));
}

/** Positive, and never shorter by its first digits. */
function serialNumber(): Uint8Array {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes;
}

function signatureAlgorithm(key: KeyObject): Uint8Array {
  switch (key.asymmetricKeyType) {
    case 'ec':
      return derSequence(derOid('1.2.840.10045.4.3.2'));
    case 'rsa':
      return derSequence(derOid('1.2.840.113549.1.1.11'), derNull);
    default:
      throw new Error(`a key of type ${key.asymmetricKeyType} cannot sign certificates: it must be RSA or ECDSA`);
  }
}

function subjectName({ commonName, organizations = [], attributes = {} }: CertificateTemplate): Uint8Array {
  const attribute = (oid: string, value: string) => derSet(derSequence(derOid(oid), derUtf8String(value)));
  return derSequence(
    ...organizations.map((organization) => attribute('2.5.4.10', organization)),
    attribute('2.5.4.3', commonName),
    ...Object.entries(attributes).map(([oid, value]) => attribute(oid, value)),
  );
}

function extensions(template: CertificateTemplate, keyInfo: Uint8Array, issuer: Certificate | undefined): Uint8Array[] {
  const { isCA = false, usages = [], dnsNames = [], ipAddresses = [] } = template;
  const extension = (oid: string, value: Uint8Array, critical = false) =>
    derSequence(derOid(oid), ...(critical ? [derTrue] : []), derOctetString(value));
  const own = createHash('sha1').update(keyInfo).digest();
  const authority = issuer ? issuer.subjectKeyId : own;
  const names = [
    ...dnsNames.map((name) => derElement(0x82, asciiName(name))),
    ...ipAddresses.map((address) => derElement(0x87, addressBytes(address))),
  ];
  return [
    extension('2.5.29.15', isCA ? signsCertificates : digitalSignature, true),
    extension('2.5.29.19', isCA ? derSequence(derTrue) : derSequence(), true),
    extension('2.5.29.14', derOctetString(own)),
    ...(usages.length > 0
      ? [extension('2.5.29.37', derSequence(...usages.map((usage) => derOid(usageOids[usage]))))]
      : []),
    ...(authority.length > 0 ? [extension('2.5.29.35', derSequence(derElement(0x80, authority)))] : []),
    ...(names.length > 0 ? [extension('2.5.29.17', derSequence(...names))] : []),
  ];
}

function asciiName(name: string): Uint8Array {
  if (!/^[!-~]+$/.test(name)) throw new Error(`${JSON.stringify(name)} is no name that a certificate can have`);
  return Buffer.from(name);
}

function addressBytes(address: string): Uint8Array {
  const parsed = parseIPSloppy(address);
  if (!parsed) throw new Error(`${JSON.stringify(address)} is no IP address`);
  return isIPv4(parsed.bytes) ? parsed.bytes.subarray(12) : parsed.bytes;
}
