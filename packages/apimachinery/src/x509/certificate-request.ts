import { type DerElement, DerReader, derTags, X509Error } from '../der/der-reader.ts';
import {
  decodeAlgorithm,
  decodeBitString,
  decodeElement,
  decodeInside,
  decodeOid,
  decodingProblem,
} from './asn1-decoder.ts';
import { maxX509Bytes } from './limits.ts';
import {
  type AlternativeNames,
  type Name,
  noAlternativeNames,
  parseAlternativeNames,
  parseName,
  type ValueRules,
} from './names.ts';
import { type AlgorithmIdentifier, type PointCheck, type PublicKey, parsePublicKey } from './public-key.ts';

/** A certificate request (PKCS #10). */
export interface CertificateRequest extends AlternativeNames {
  readonly subject: Name;
  /** Absent when its algorithm is unknown. */
  readonly publicKey?: PublicKey;
  /** The key with its algorithm, in DER. */
  readonly publicKeyInfo: Uint8Array;
  /** The part that is signed. */
  readonly body: Uint8Array;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  readonly signature: Uint8Array;
}

const extensionRequest = '1.2.840.113549.1.9.14';
const subjectAlternativeName = '2.5.29.17';
const attributesTag = 0xa0;

const requestRules: ValueRules = {
  badString: (type) => `asn1: syntax error: ${type} contains invalid character`,
  noString: undefined,
};

function newReader(bytes: Uint8Array): DerReader {
  if (bytes.length > maxX509Bytes) throw new X509Error('asn1: structure error: length too large');
  return new DerReader(bytes);
}

/** A key that is not parsed yet. */
interface KeyInfo {
  readonly raw: Uint8Array;
  readonly algorithm: AlgorithmIdentifier;
  readonly key: Uint8Array;
}

function decodeKeyInfo(reader: DerReader): KeyInfo {
  const element = decodeElement(reader, derTags.sequence, 'publicKeyInfo');
  const info = element.inside();
  return { raw: element.raw, algorithm: decodeAlgorithm(info), key: decodeBitString(info) };
}

/** Parses a single public key. Throws an X509Error. For `isOnCurve` see `parseCertificate`. */
export function parsePkixPublicKey(bytes: Uint8Array, isOnCurve?: PointCheck): PublicKey {
  const reader = newReader(bytes);
  const info = decodeKeyInfo(reader);
  if (!reader.isEmpty) throw new X509Error('x509: trailing data after ASN.1 of public-key');
  const key = parsePublicKey(info.algorithm, info.key, isOnCurve);
  if (!key) throw new X509Error('x509: unknown public key algorithm');
  return key;
}

/**
 * Parses a certificate request. Throws an X509Error; the signature is not verified. For `isOnCurve` see `parseCertificate`.
 *
 * Differs from upstream: errors inside the subject or the attributes do not always have Go's message; requests beyond 128 KiB are
 * refused.
 */
export function parseCertificateRequest(bytes: Uint8Array, isOnCurve?: PointCheck): CertificateRequest {
  const reader = newReader(bytes);
  const outer = decodeInside(reader, derTags.sequence, 'certificateRequest');
  const body = decodeElement(outer, derTags.sequence, 'tbsCertificateRequest');
  const signatureAlgorithm = decodeAlgorithm(outer);
  const signature = decodeBitString(outer);
  if (!reader.isEmpty) throw new X509Error('asn1: syntax error: trailing data');
  const inner = body.inside();
  const version = decodeElement(inner, derTags.integer, 'int');
  new DerReader(version.raw).integerBytes('asn1: structure error: integer not minimally-encoded');
  const subject = inner.next();
  if (!subject) throw decodingProblem(inner, derTags.sequence, 'RawValue');
  const info = decodeKeyInfo(inner);
  const attributes = decodeInside(inner, attributesTag, '');
  const publicKey = parsePublicKey(info.algorithm, info.key, isOnCurve);
  return {
    subject: parseName(subject.raw, requestRules),
    ...(publicKey && { publicKey }),
    publicKeyInfo: info.raw,
    body: body.raw,
    signatureAlgorithm,
    signature,
    ...requestedNames(attributes),
  };
}

/** Returns the alternative names among the extensions that the attributes request. Attributes that cannot be read are ignored. */
function requestedNames(attributes: DerReader): AlternativeNames {
  let names = noAlternativeNames;
  const requested = new Set<string>();
  while (!attributes.isEmpty) {
    const attribute = attributes.next();
    if (!attribute) throw decodingProblem(attributes, derTags.sequence, 'RawValue');
    const values = extensionsIn(attribute);
    if (!values) continue;
    const list = decodeInside(values, derTags.sequence, '');
    while (!list.isEmpty) {
      const extension = decodeInside(list, derTags.sequence, 'Extension');
      const oid = decodeOid(extension);
      if (requested.has(oid)) throw new X509Error('x509: certificate request contains duplicate requested extensions');
      requested.add(oid);
      extension.take(derTags.boolean);
      const { content } = decodeElement(extension, derTags.octetString, '');
      if (oid === subjectAlternativeName) names = parseAlternativeNames(content);
    }
  }
  return names;
}

function extensionsIn(attribute: DerElement): DerReader | undefined {
  const reader = attribute.inside();
  if (attribute.tag !== derTags.sequence || reader.peek() !== derTags.oid) return undefined;
  const isRequest = reader.oid('asn1: syntax error: zero length OBJECT IDENTIFIER') === extensionRequest;
  const values = reader.take(derTags.set);
  return isRequest && values && values.length > 0 ? values.inside() : undefined;
}
