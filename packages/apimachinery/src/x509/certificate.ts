import { DerReader, derTags, signedBigInt, X509Error } from '../der/der-reader.ts';
import { type Extensions, noExtensions, readExtensions } from './extensions.ts';
import { latin1 } from './latin1.ts';
import { maxX509Bytes } from './limits.ts';
import { type Name, parseName } from './names.ts';
import { type AlgorithmIdentifier, type PointCheck, type PublicKey, parsePublicKey, sameBytes } from './public-key.ts';

export interface Certificate extends Extensions {
  /** The bytes of the certificate, without any after it. */
  readonly raw: Uint8Array;
  /** 3 for all certificates with extensions. */
  readonly version: number;
  readonly serialNumber: bigint;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  readonly issuer: Name;
  readonly subject: Name;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Absent when its algorithm is unknown. */
  readonly publicKey?: PublicKey;
}

/**
 * Parses one certificate. Throws an X509Error with Go's message, also when data follows the certificate. `isOnCurve` checks whether the
 * point of an elliptic curve key is on its curve; without it this is not checked. Signatures are not verified.
 *
 * Differs from upstream: only the extensions that are used are parsed; certificates beyond 128 KiB and serial numbers beyond 128 bytes
 * are refused.
 */
export function parseCertificate(bytes: Uint8Array, isOnCurve?: PointCheck): Certificate {
  const certificate = parseFirst(bytes, isOnCurve);
  if (certificate.raw.length !== bytes.length) throw new X509Error('x509: trailing data');
  return certificate;
}

/** Parses concatenated certificates, possibly none. Throws an X509Error. */
export function parseCertificates(bytes: Uint8Array, isOnCurve?: PointCheck): Certificate[] {
  const certificates: Certificate[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const certificate = parseFirst(rest, isOnCurve);
    certificates.push(certificate);
    rest = rest.subarray(certificate.raw.length);
  }
  return certificates;
}

function parseFirst(bytes: Uint8Array, isOnCurve: PointCheck | undefined): Certificate {
  const malformed = 'x509: malformed certificate';
  const certificate = new DerReader(bytes).takeOr(derTags.sequence, malformed);
  if (certificate.length > maxX509Bytes) throw new X509Error(malformed);
  const outer = certificate.inside();
  const body = outer.enter(derTags.sequence, 'x509: malformed tbs certificate');
  const version = parseVersion(body);
  const serialNumber = parseSerialNumber(body);
  if (serialNumber < 0n) throw new X509Error('x509: negative serial number');
  const algorithm = body.takeOr(derTags.sequence, 'x509: malformed signature algorithm identifier');
  const outerAlgorithm = outer.takeOr(derTags.sequence, 'x509: malformed algorithm identifier');
  if (!sameBytes(algorithm.content, outerAlgorithm.content))
    throw new X509Error("x509: inner and outer signature algorithm identifiers don't match");
  const signatureAlgorithm = parseAlgorithm(algorithm.inside());
  const issuer = parseName(body.takeOr(derTags.sequence, 'x509: malformed issuer').raw);
  const validity = body.enter(derTags.sequence, 'x509: malformed validity');
  const notBefore = parseTime(validity);
  const notAfter = parseTime(validity);
  const subject = parseName(body.takeOr(derTags.sequence, 'x509: malformed issuer').raw);
  const publicKey = parseKeyInfo(body.enter(derTags.sequence, 'x509: malformed spki'), isOnCurve);
  const extensions = version > 1 ? parseExtensions(body, version) : noExtensions;
  outer.bitString('x509: malformed signature');
  return {
    ...extensions,
    raw: certificate.raw,
    version,
    serialNumber,
    signatureAlgorithm,
    issuer,
    subject,
    notBefore,
    notAfter,
    ...(publicKey && { publicKey }),
  };
}

/** Printing a longer number would take long. */
const maxSerialBytes = 128;

function parseSerialNumber(body: DerReader): bigint {
  const malformed = 'x509: malformed serial number';
  const bytes = body.integerBytes(malformed);
  if (bytes.length > maxSerialBytes) throw new X509Error(malformed);
  return signedBigInt(bytes);
}

const contextTag = (number: number): number => 0xa0 | number;

/** Returns the version, counted from one. */
function parseVersion(body: DerReader): number {
  if (body.peek() !== contextTag(0)) return 1;
  const malformed = 'x509: malformed version';
  const version = body.enter(contextTag(0), malformed).integer(malformed);
  if (version < 0n) throw new X509Error(malformed);
  if (version > 2n) throw new X509Error('x509: invalid version');
  return Number(version) + 1;
}

function parseAlgorithm(reader: DerReader): AlgorithmIdentifier {
  const oid = reader.oid('x509: malformed OID');
  if (reader.isEmpty) return { oid, parameters: new Uint8Array() };
  const parameters = reader.next();
  if (!parameters) throw new X509Error('x509: malformed parameters');
  return { oid, parameters: parameters.raw };
}

function parseKeyInfo(info: DerReader, isOnCurve: PointCheck | undefined): PublicKey | undefined {
  const algorithm = parseAlgorithm(info.enter(derTags.sequence, 'x509: malformed public key algorithm identifier'));
  return parsePublicKey(algorithm, info.bitString('x509: malformed subjectPublicKey'), isOnCurve);
}

const utcTime = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(?:Z|([+-]\d\d)(\d\d))$/;
const generalizedTime = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:Z|([+-]\d\d)(\d\d))$/;
/** Longer than any valid time. */
const maxTimeLength = 32;

function parseTime(validity: DerReader): Date {
  const isUtc = validity.peek() === derTags.utcTime;
  if (!isUtc && validity.peek() !== derTags.generalizedTime) throw new X509Error('x509: unsupported time format');
  const message = `x509: malformed ${isUtc ? 'UTCTime' : 'GeneralizedTime'}`;
  const { content } = validity.takeOr(isUtc ? derTags.utcTime : derTags.generalizedTime, message);
  const match = (isUtc ? utcTime : generalizedTime).exec(latin1(content.subarray(0, maxTimeLength)));
  if (!match) throw new X509Error(message);
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits) => Number(digits ?? 0));
  // Two digits are a year from 1950 to 2049.
  const full = !isUtc ? year! : year! < 50 ? 2000 + year! : 1900 + year!;
  const date = new Date(Date.UTC(2000, month! - 1, day, hour, minute, second));
  date.setUTCFullYear(full, month! - 1, day);
  const isReal =
    date.getUTCMonth() === month! - 1 && date.getUTCDate() === day && hour! < 24 && minute! < 60 && second! < 60;
  const offset = offsetMinutes(match[7], match[8]);
  if (!isReal || offset === undefined) throw new X509Error(message);
  return new Date(date.getTime() - offset * 60_000);
}

/** Returns undefined for an offset that Go would write differently: zero is written as `Z`. */
function offsetMinutes(hours: string | undefined, minutes: string | undefined): number | undefined {
  if (hours === undefined) return 0;
  const size = Math.abs(Number(hours)) * 60 + Number(minutes);
  if (size === 0 || size > 24 * 60 || Number(minutes) >= 60) return undefined;
  return hours.startsWith('-') ? -size : size;
}

function parseExtensions(body: DerReader, version: number): Extensions {
  for (const [tag, name] of [
    [0x81, 'issuerUniqueID'],
    [0x82, 'subjectUniqueID'],
  ] as const)
    if (body.peek() === tag) body.takeOr(tag, `x509: malformed ${name}`);
  if (version < 3 || body.peek() !== contextTag(3)) return noExtensions;
  const malformed = 'x509: malformed extensions';
  return readExtensions(body.enter(contextTag(3), malformed).enter(derTags.sequence, malformed));
}
