import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
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
} from '@coxswain/apimachinery/der';
import { isIPv4, parseIPSloppy } from '@coxswain/apimachinery/validation';
import { type Certificate, oids, parseCertificate } from './certificate.ts';

/** Names of a subject apart from its own. */
export interface AlternativeNames {
  readonly dnsNames?: readonly string[];
  /** As text, or as 4 or 16 bytes. */
  readonly ipAddresses?: readonly (string | Uint8Array)[];
  readonly emailAddresses?: readonly string[];
  readonly uris?: readonly string[];
}

/** Whom a certificate is for. */
export interface SubjectTemplate {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** Other attributes, by dotted identifier. */
  readonly attributes?: Readonly<Record<string, string>>;
}

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** What a certificate is to say. */
export interface CertificateTemplate extends SubjectTemplate, AlternativeNames, Validity {
  /** It may sign other certificates; then it has no usages. */
  readonly isCA?: boolean;
  readonly usages?: readonly ('serverAuth' | 'clientAuth')[];
  readonly ipAddresses?: readonly string[];
}

/** The same for a subject that is written already, as in a request, with every usage that there is. */
export interface RawCertificateTemplate extends AlternativeNames, Validity {
  /** DER of a name. */
  readonly subject: Uint8Array;
  readonly isCA?: boolean;
  /** The bits of the key usage, the first (digital signature) being 1; none: it does not say. */
  readonly keyUsage: number;
  /** As dotted identifiers. */
  readonly extendedKeyUsages: readonly string[];
}

/** Who signs. Without a certificate, the new one is signed by its own key. */
export interface CertificateIssuer {
  readonly certificate?: Certificate;
  readonly key: KeyObject;
}

/** Bits of the key usage, as X.509 counts them. */
export const keyUsageBits = {
  digitalSignature: 1,
  contentCommitment: 2,
  keyEncipherment: 4,
  dataEncipherment: 8,
  keyAgreement: 16,
  certSign: 32,
  crlSign: 64,
  encipherOnly: 128,
  decipherOnly: 256,
} as const;

const usageOids = { serverAuth: oids.serverAuth, clientAuth: oids.clientAuth } as const;

/**
 * A certificate (X.509 v3) for the public key, with a random serial number. Throws when a name or the issuer's key is of
 * a kind that cannot be written.
 */
export function issueCertificate(
  template: CertificateTemplate,
  publicKey: KeyObject,
  issuer: CertificateIssuer,
): Certificate {
  const { isCA = false, usages = [] } = template;
  const { digitalSignature, keyEncipherment, certSign } = keyUsageBits;
  return issueRawCertificate(
    {
      ...template,
      subject: derSubject(template),
      keyUsage: isCA ? digitalSignature | keyEncipherment | certSign : digitalSignature,
      extendedKeyUsages: usages.map((usage) => usageOids[usage]),
    },
    publicKey,
    issuer,
  );
}

/** As `issueCertificate`. */
export function issueRawCertificate(
  template: RawCertificateTemplate,
  publicKey: KeyObject,
  issuer: CertificateIssuer,
): Certificate {
  const keyInfo = publicKey.export({ type: 'spki', format: 'der' });
  const algorithm = signatureAlgorithm(issuer.key, 'certificates');
  const body = derSequence(
    derContext(0, derInteger(Uint8Array.of(2))),
    derInteger(serialNumber()),
    algorithm,
    issuer.certificate?.subject.raw ?? template.subject,
    derSequence(derTime(template.notBefore), derTime(template.notAfter)),
    template.subject,
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

/** How the key signs, SHA-256 in it. Throws for a key that signs otherwise. */
export function signatureAlgorithm(key: KeyObject, what: string): Uint8Array {
  switch (key.asymmetricKeyType) {
    case 'ec':
      return derSequence(derOid('1.2.840.10045.4.3.2'));
    case 'rsa':
      return derSequence(derOid('1.2.840.113549.1.1.11'), derNull);
    default:
      throw new Error(`a key of type ${key.asymmetricKeyType} cannot sign ${what}: it must be RSA or ECDSA`);
  }
}

/** DER of the name. */
export function derSubject({ commonName, organizations = [], attributes = {} }: SubjectTemplate): Uint8Array {
  const attribute = (oid: string, value: string) => derSet(derSequence(derOid(oid), derUtf8String(value)));
  return derSequence(
    ...organizations.map((organization) => attribute('2.5.4.10', organization)),
    attribute('2.5.4.3', commonName),
    ...Object.entries(attributes).map(([oid, value]) => attribute(oid, value)),
  );
}

const extension = (oid: string, value: Uint8Array, critical = false): Uint8Array =>
  derSequence(derOid(oid), ...(critical ? [derTrue] : []), derOctetString(value));

function extensions(
  template: RawCertificateTemplate,
  keyInfo: Uint8Array,
  issuer: Certificate | undefined,
): Uint8Array[] {
  const { isCA = false, keyUsage, extendedKeyUsages } = template;
  const own = createHash('sha1').update(keyInfo).digest();
  const authority = issuer ? issuer.subjectKeyId : own;
  const names = alternativeNames(template);
  return [
    ...(keyUsage !== 0 ? [extension('2.5.29.15', derKeyUsage(keyUsage), true)] : []),
    extension('2.5.29.19', isCA ? derSequence(derTrue) : derSequence(), true),
    extension('2.5.29.14', derOctetString(own)),
    ...(extendedKeyUsages.length > 0
      ? [extension('2.5.29.37', derSequence(...extendedKeyUsages.map((usage) => derOid(usage))))]
      : []),
    ...(authority.length > 0 ? [extension('2.5.29.35', derSequence(derElement(0x80, authority)))] : []),
    ...(names ? [names] : []),
  ];
}

/** The first bit stands highest, and no zeros follow the last. */
function derKeyUsage(usage: number): Uint8Array {
  const bits = usage.toString(2).split('').reverse().join('');
  const bytes = bits.match(/.{1,8}/g)!.map((each) => Number.parseInt(each.padEnd(8, '0'), 2));
  return derBitString(Uint8Array.from(bytes), 8 * bytes.length - bits.length);
}

/** The extension with all names but the subject; undefined when there are none. */
export function alternativeNames(template: AlternativeNames): Uint8Array | undefined {
  const { dnsNames = [], ipAddresses = [], emailAddresses = [], uris = [] } = template;
  const names = [
    ...dnsNames.map((name) => derElement(0x82, asciiName(name))),
    ...emailAddresses.map((address) => derElement(0x81, asciiName(address))),
    ...ipAddresses.map((address) => derElement(0x87, typeof address === 'string' ? addressBytes(address) : address)),
    ...uris.map((uri) => derElement(0x86, asciiName(uri))),
  ];
  return names.length > 0 ? extension('2.5.29.17', derSequence(...names)) : undefined;
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
