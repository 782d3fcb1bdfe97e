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

/** Subject alternative names. */
export interface AlternativeNames {
  readonly dnsNames?: readonly string[];
  /** As text, or as 4 or 16 bytes. */
  readonly ipAddresses?: readonly (string | Uint8Array)[];
  readonly emailAddresses?: readonly string[];
  readonly uris?: readonly string[];
}

/** The subject of a certificate. */
export interface SubjectTemplate {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** Other attributes, by dotted object identifier. */
  readonly attributes?: Readonly<Record<string, string>>;
}

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** The contents of a certificate. */
export interface CertificateTemplate extends SubjectTemplate, AlternativeNames, Validity {
  /** Whether it is a CA, which can sign certificates and has no `usages`. */
  readonly isCA?: boolean;
  readonly usages?: readonly ('serverAuth' | 'clientAuth')[];
  readonly ipAddresses?: readonly string[];
}

/** The contents of a certificate with an encoded subject, as in a request, and with any usage. */
export interface RawCertificateTemplate extends AlternativeNames, Validity {
  /** The DER encoding of a name. */
  readonly subject: Uint8Array;
  readonly isCA?: boolean;
  /** The key usage as bits (`keyUsageBits`); 0 for no key usage extension. */
  readonly keyUsage: number;
  /** Dotted object identifiers. */
  readonly extendedKeyUsages: readonly string[];
}

/** The issuer. Without a certificate, the new one is self-signed with this key. */
export interface CertificateIssuer {
  readonly certificate?: Certificate;
  readonly key: KeyObject;
}

/** Bits of the key usage, in X.509's order. */
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
 * Issues an X.509 v3 certificate for the public key, with a random serial number. Throws for names that cannot be
 * encoded, and for an issuer's key that is neither RSA nor ECDSA.
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

/** Like `issueCertificate`, for a raw template. */
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

/** A random serial number: positive, and always with the same length. */
function serialNumber(): Uint8Array {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes;
}

/** The DER encoding of the key's signature algorithm with SHA-256. Throws for keys that are neither RSA nor ECDSA. */
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

/** The DER encoding of the name. */
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

/** The first bit is the most significant one, and trailing zeros are omitted. */
function derKeyUsage(usage: number): Uint8Array {
  const bits = usage.toString(2).split('').reverse().join('');
  const bytes = bits.match(/.{1,8}/g)!.map((each) => Number.parseInt(each.padEnd(8, '0'), 2));
  return derBitString(Uint8Array.from(bytes), 8 * bytes.length - bits.length);
}

/** The subject alternative name extension; undefined when there are no names. */
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
  if (!/^[!-~]+$/.test(name)) throw new Error(`${JSON.stringify(name)} is not a valid name for a certificate`);
  return Buffer.from(name);
}

function addressBytes(address: string): Uint8Array {
  const parsed = parseIPSloppy(address);
  if (!parsed) throw new Error(`${JSON.stringify(address)} is not an IP address`);
  return isIPv4(parsed.bytes) ? parsed.bytes.subarray(12) : parsed.bytes;
}
