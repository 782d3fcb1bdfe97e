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

/** A request for a certificate (PKCS #10). */
export interface CertificateRequest extends AlternativeNames {
  readonly subject: Name;
  /** Absent when nobody knows its algorithm. */
  readonly publicKey?: PublicKey;
  /** The key with its algorithm, in DER. */
  readonly publicKeyInfo: Uint8Array;
  /** What is signed. */
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

/** A key that is not looked into yet. */
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

/** A key by itself. Throws an X509Error. For `isOnCurve` see `parseCertificate`. */
export function parsePkixPublicKey(bytes: Uint8Array, isOnCurve?: PointCheck): PublicKey {
  const reader = newReader(bytes);
  const info = decodeKeyInfo(reader);
  if (!reader.isEmpty) throw new X509Error('x509: trailing data after ASN.1 of public-key');
  const key = parsePublicKey(info.algorithm, info.key, isOnCurve);
  if (!key) throw new X509Error('x509: unknown public key algorithm');
  return key;
}

/**
 * A request for a certificate. Throws an X509Error; its signature is not checked. For `isOnCurve` see `parseCertificate`.
 *
 * Differs from upstream: what is wrong inside the subject or the attributes is not always said in Go's words; requests beyond
 * 128 KiB are refused.
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

/** Among the attributes may be extensions that the certificate is to have. Those that cannot be read are passed over. */
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
