import { DerReader, sameBytes, tags, X509Error } from './der.ts';
import { type AlternativeNames, noAlternativeNames, parseAlternativeNames, parseName } from './names.ts';
import { type AlgorithmIdentifier, type PublicKey, parsePublicKey } from './public-key.ts';

export interface Certificate extends AlternativeNames {
  /** All bytes of it, and no more. */
  readonly raw: Uint8Array;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Absent when nobody knows its algorithm. */
  readonly publicKey?: PublicKey;
  readonly isCA: boolean;
  readonly basicConstraintsValid: boolean;
}

const subjectAlternativeName = '551d11';
const basicConstraints = '551d13';
const contextTag = (number: number): number => 0xa0 | number;

/**
 * One certificate. Throws an X509Error in Go's words, also when something follows it.
 *
 * Differs from upstream: of the extensions, only what rules ask for is looked into.
 */
export function parseCertificate(bytes: Uint8Array): Certificate {
  const certificate = parseFirst(bytes);
  if (certificate.raw.length !== bytes.length) throw new X509Error('x509: trailing data');
  return certificate;
}

/** Certificates one after the other, none at all included. Throws an X509Error. */
export function parseCertificates(bytes: Uint8Array): Certificate[] {
  const certificates: Certificate[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const certificate = parseFirst(rest);
    certificates.push(certificate);
    rest = rest.subarray(certificate.raw.length);
  }
  return certificates;
}

function parseFirst(bytes: Uint8Array): Certificate {
  const { raw, content } = new DerReader(bytes).takeOr(tags.sequence, 'x509: malformed certificate');
  const outer = new DerReader(content);
  const body = outer.enter(tags.sequence, 'x509: malformed tbs certificate');
  const version = parseVersion(body);
  if (body.integer('x509: malformed serial number') < 0n) throw new X509Error('x509: negative serial number');
  const algorithm = body.takeOr(tags.sequence, 'x509: malformed signature algorithm identifier');
  const outerAlgorithm = outer.takeOr(tags.sequence, 'x509: malformed algorithm identifier');
  if (!sameBytes(algorithm.content, outerAlgorithm.content))
    throw new X509Error("x509: inner and outer signature algorithm identifiers don't match");
  parseAlgorithm(new DerReader(algorithm.content));
  parseName(body.takeOr(tags.sequence, 'x509: malformed issuer').raw);
  const validity = body.enter(tags.sequence, 'x509: malformed validity');
  const notBefore = parseTime(validity);
  const notAfter = parseTime(validity);
  parseName(body.takeOr(tags.sequence, 'x509: malformed issuer').raw);
  const publicKey = parseKeyInfo(body.enter(tags.sequence, 'x509: malformed spki'));
  const extensions = version > 1 ? parseExtensions(body, version) : new Map<string, Uint8Array>();
  outer.bitString('x509: malformed signature');
  const names = extensions.get(subjectAlternativeName);
  const constraints = extensions.get(basicConstraints);
  return {
    raw,
    notBefore,
    notAfter,
    ...(publicKey && { publicKey }),
    ...(names ? parseAlternativeNames(names) : noAlternativeNames),
    isCA: constraints !== undefined && parseIsCA(constraints),
    basicConstraintsValid: constraints !== undefined,
  };
}

/** Counted from one. */
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

function parseKeyInfo(info: DerReader): PublicKey | undefined {
  const algorithm = parseAlgorithm(info.enter(tags.sequence, 'x509: malformed public key algorithm identifier'));
  return parsePublicKey(algorithm, info.bitString('x509: malformed subjectPublicKey'));
}

const utcTime = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?Z$/;
const generalizedTime = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;

function parseTime(validity: DerReader): Date {
  const isUtc = validity.peek() === tags.utcTime;
  if (!isUtc && validity.peek() !== tags.generalizedTime) throw new X509Error('x509: unsupported time format');
  const message = `x509: malformed ${isUtc ? 'UTCTime' : 'GeneralizedTime'}`;
  const { content } = validity.takeOr(isUtc ? tags.utcTime : tags.generalizedTime, message);
  const match = (isUtc ? utcTime : generalizedTime).exec(String.fromCharCode(...content.subarray(0, 32)));
  if (!match) throw new X509Error(message);
  const [year, month, day, hour, minute, second] = match.slice(1).map((digits) => Number(digits ?? 0));
  // Two digits are of the years from 1950 to 2049.
  const full = !isUtc ? year! : year! < 50 ? 2000 + year! : 1900 + year!;
  const date = new Date(Date.UTC(full, month! - 1, day, hour, minute, second));
  if (full < 100) date.setUTCFullYear(full);
  const isReal =
    date.getUTCMonth() === month! - 1 && date.getUTCDate() === day && hour! < 24 && minute! < 60 && second! < 60;
  if (!isReal) throw new X509Error(message);
  return date;
}

/** What each extension says, by its identifier. */
function parseExtensions(body: DerReader, version: number): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (const [tag, name] of [
    [0x81, 'issuerUniqueID'],
    [0x82, 'subjectUniqueID'],
  ] as const)
    if (body.peek() === tag) body.takeOr(tag, `x509: malformed ${name}`);
  if (version < 3 || body.peek() !== contextTag(3)) return found;
  const malformed = 'x509: malformed extensions';
  const list = body.enter(contextTag(3), malformed).enter(tags.sequence, malformed);
  while (!list.isEmpty) {
    const extension = list.enter(tags.sequence, 'x509: malformed extension');
    const oid = extension.oid('x509: malformed extension OID field');
    if (extension.peek() === tags.boolean) parseBoolean(extension, 'x509: malformed extension critical field');
    const { content } = extension.takeOr(tags.octetString, 'x509: malformed extension value field');
    if (found.has(oid))
      throw new X509Error(`x509: certificate contains duplicate extension with OID "${formatOid(oid)}"`);
    found.set(oid, content);
  }
  return found;
}

function parseBoolean(reader: DerReader, message: string): boolean {
  const { content } = reader.takeOr(tags.boolean, message);
  const [value] = content;
  if (content.length !== 1 || (value !== 0 && value !== 0xff)) throw new X509Error(message);
  return value === 0xff;
}

function parseIsCA(value: Uint8Array): boolean {
  const message = 'x509: invalid basic constraints';
  const reader = new DerReader(value).enter(tags.sequence, message);
  const isCA = reader.peek() === tags.boolean && parseBoolean(reader, message);
  if (reader.peek() === tags.integer && reader.integer(message) < 0n) throw new X509Error(message);
  return isCA;
}

/** `2.5.29.17` */
function formatOid(hex: string): string {
  const parts: bigint[] = [];
  let part = 0n;
  for (const [digits] of hex.matchAll(/../g)) {
    const byte = BigInt(`0x${digits}`);
    part = (part << 7n) | (byte & 0x7fn);
    if (byte & 0x80n) continue;
    if (parts.length === 0) {
      const first = part < 40n ? 0n : part < 80n ? 1n : 2n;
      parts.push(first, part - 40n * first);
    } else parts.push(part);
    part = 0n;
  }
  return parts.join('.');
}
