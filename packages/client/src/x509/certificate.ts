import { X509Certificate } from 'node:crypto';
import { DerReader, derTags, pemBlocks } from '@coxswain/apimachinery/der';

/** Identifiers that more than one place knows. */
export const oids = {
  anyExtendedKeyUsage: '2.5.29.37.0',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

/** A parsed certificate: what OpenSSL reads of it, and what it does not tell. */
export interface Certificate {
  readonly x509: X509Certificate;
  /** 3 for all that can say what they may be used for. */
  readonly version: number;
  /** Of the subject and the issuer all bytes, so that names are compared as they are written. */
  readonly subject: Uint8Array;
  readonly issuer: Uint8Array;
  readonly serialNumber: bigint;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Empty when it says none. */
  readonly subjectKeyId: Uint8Array;
  readonly authorityKeyId: Uint8Array;
  /** Undefined when it does not say whether it may sign others. */
  readonly isCA: boolean | undefined;
  /** How many certificates may stand between it and the last one of a chain; undefined: any number. */
  readonly maxPathLength: number | undefined;
  /** Whether its key usage allows to sign certificates; true when it has none. */
  readonly mayCertify: boolean;
  /** As dotted identifiers; undefined: anything. */
  readonly extendedKeyUsages: readonly string[] | undefined;
  readonly hasAlternativeNames: boolean;
  readonly hasNameConstraints: boolean;
  /** It says something that must be understood and is not. */
  readonly hasUnhandledCriticalExtension: boolean;
  /** Signed with an algorithm that is still safe. */
  readonly hasSafeSignature: boolean;
}

/** Extensions by the hexadecimal digits of their identifiers. */
const known = {
  subjectKeyId: '551d0e',
  keyUsage: '551d0f',
  alternativeNames: '551d11',
  basicConstraints: '551d13',
  nameConstraints: '551d1e',
  authorityKeyId: '551d23',
  extendedKeyUsage: '551d25',
} as const;

const handled: ReadonlySet<string> = new Set(Object.values(known));

/** RSA (also PSS), ECDSA with SHA-2, and Ed25519. */
const safeSignatures: ReadonlySet<string> = new Set([
  '2a864886f70d01010b',
  '2a864886f70d01010c',
  '2a864886f70d01010d',
  '2a864886f70d01010a',
  '2a8648ce3d040302',
  '2a8648ce3d040303',
  '2a8648ce3d040304',
  '2b6570',
]);

/** Reads one certificate in DER. Throws an Error when it is none. */
export function parseCertificate(der: Uint8Array): Certificate {
  const x509 = new X509Certificate(der);
  const malformed = 'x509: malformed certificate';
  const outer = new DerReader(der).enter(derTags.sequence, malformed);
  const body = outer.enter(derTags.sequence, malformed);
  const algorithm = outer.enter(derTags.sequence, malformed).oid(malformed);
  const version = body.peek() === 0xa0 ? Number(body.enter(0xa0, malformed).integer(malformed)) + 1 : 1;
  const serialNumber = body.integer(malformed);
  body.takeOr(derTags.sequence, malformed);
  const issuer = body.takeOr(derTags.sequence, malformed).raw;
  body.takeOr(derTags.sequence, malformed);
  const subject = body.takeOr(derTags.sequence, malformed).raw;
  const { values, unhandled } = readExtensions(body, malformed);
  return {
    x509,
    version,
    subject,
    issuer,
    serialNumber,
    notBefore: dateOf(x509.validFrom),
    notAfter: dateOf(x509.validTo),
    subjectKeyId: content(values.get(known.subjectKeyId), derTags.octetString),
    authorityKeyId: content(content(values.get(known.authorityKeyId), derTags.sequence), 0x80),
    ...readBasicConstraints(values.get(known.basicConstraints), malformed),
    mayCertify: readMayCertify(values.get(known.keyUsage)),
    extendedKeyUsages: values.has(known.extendedKeyUsage) ? (x509.keyUsage ?? []) : undefined,
    hasAlternativeNames: values.has(known.alternativeNames),
    hasNameConstraints: values.has(known.nameConstraints),
    hasUnhandledCriticalExtension: unhandled,
    hasSafeSignature: safeSignatures.has(algorithm),
  };
}

/** All certificates of a PEM text, in order; other blocks are passed over. Throws an Error for one that cannot be read. */
export function parseCertificatesPem(pem: string): Certificate[] {
  return [...pemBlocks(pem)].filter(({ type }) => type === 'CERTIFICATE').map(({ bytes }) => parseCertificate(bytes));
}

/** The values of an attribute of the subject (`CN`, `O`, or a dotted identifier), in the order they stand there. */
export function subjectAttribute({ x509 }: Certificate, type: string): readonly string[] {
  const subject: object = x509.toLegacyObject().subject;
  const found = Object.entries(subject).find(([key]) => key === type)?.[1];
  return found === undefined ? [] : [found].flat().map(String);
}

function dateOf(text: string): Date {
  const date = new Date(text);
  // Comparisons with what is no date would all be false, so that it would never expire.
  if (Number.isNaN(date.getTime())) throw new Error('x509: malformed validity');
  return date;
}

/** What is inside the element that the bytes begin with; nothing when it has another tag. */
const content = (bytes: Uint8Array | undefined, tag: number): Uint8Array =>
  (bytes && new DerReader(bytes).take(tag)?.content) ?? new Uint8Array();

function readExtensions(body: DerReader, malformed: string): { values: Map<string, Uint8Array>; unhandled: boolean } {
  const values = new Map<string, Uint8Array>();
  let unhandled = false;
  while (!body.isEmpty && body.peek() !== 0xa3) if (!body.next()) throw new Error(malformed);
  if (body.isEmpty) return { values, unhandled };
  const list = body.enter(0xa3, malformed).enter(derTags.sequence, malformed);
  while (!list.isEmpty) {
    const extension = list.enter(derTags.sequence, malformed);
    const oid = extension.oid(malformed);
    const critical = extension.take(derTags.boolean)?.content[0] === 0xff;
    if (values.has(oid)) throw new Error('x509: certificate contains duplicate extensions');
    values.set(oid, extension.takeOr(derTags.octetString, malformed).content);
    if (critical && !handled.has(oid)) unhandled = true;
  }
  return { values, unhandled };
}

function readBasicConstraints(
  value: Uint8Array | undefined,
  malformed: string,
): Pick<Certificate, 'isCA' | 'maxPathLength'> {
  if (!value) return { isCA: undefined, maxPathLength: undefined };
  const reader = new DerReader(value).enter(derTags.sequence, malformed);
  const isCA = reader.take(derTags.boolean)?.content[0] === 0xff;
  return { isCA, maxPathLength: reader.isEmpty ? undefined : Number(reader.integer(malformed)) };
}

/** The sixth bit of the key usage. */
function readMayCertify(value: Uint8Array | undefined): boolean {
  return value === undefined || (content(value, derTags.bitString)[1]! & 0x04) !== 0;
}
