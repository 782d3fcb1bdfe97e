import { type DerElement, DerReader, tags, X509Error } from './der.ts';
import { type AlternativeNames, noAlternativeNames, parseAlternativeNames, parseName, type Subject } from './names.ts';
import { type AlgorithmIdentifier, type PublicKey, parsePublicKey } from './public-key.ts';
import { signatureProblem } from './signature.ts';

export interface CertificateRequest extends AlternativeNames {
  readonly subject: Subject;
  /** Absent when nobody knows its algorithm. */
  readonly publicKey?: PublicKey;
  /** What is signed. */
  readonly body: Uint8Array;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  readonly signature: Uint8Array;
}

const extensionRequest = '2a864886f70d01090e';
const subjectAlternativeName = '551d11';
const attributesTag = 0xa0;

const defaultParameters =
  '{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}';

/** Why Go's decoder of ASN.1 finds no element of the type where the reader is. */
function decodingProblem({ bytes, offset }: DerReader, tag: number, type: string): X509Error {
  const syntax = (message: string) => new X509Error(`asn1: syntax error: ${message}`);
  const structure = (message: string) => new X509Error(`asn1: structure error: ${message}`);
  if (offset >= bytes.length) return syntax('sequence truncated');
  const [found, first] = [bytes[offset]!, bytes[offset + 1]];
  if (first === undefined) return syntax('truncated tag or length');
  let length = first;
  let start = offset + 2;
  if (first >= 0x80) {
    const digits = first & 0x7f;
    if (digits === 0) return syntax('indefinite length found (not DER)');
    length = 0;
    for (let i = 0; i < digits; i++, start++) {
      if (start >= bytes.length) return syntax('truncated tag or length');
      if (length >= 1 << 23) return structure('length too large');
      length = length * 256 + bytes[start]!;
      if (length === 0) return structure('superfluous leading zeros in length');
    }
    if (length < 0x80) return structure('non-minimal length');
  }
  if (found === tag) return syntax('data truncated');
  const header = `{class:${found >> 6} tag:${found & 0x1f} length:${length} isCompound:${(found & 0x20) !== 0}}`;
  return structure(`tags don't match (${tag & 0x1f} vs ${header}) ${defaultParameters} ${type} @${start}`);
}

function take(reader: DerReader, tag: number, type: string): DerElement {
  const element = reader.take(tag);
  if (!element) throw decodingProblem(reader, tag, type);
  return element;
}

const enter = (reader: DerReader, tag: number, type: string): DerReader =>
  new DerReader(take(reader, tag, type).content);

function parseAlgorithm(reader: DerReader): AlgorithmIdentifier {
  const inner = enter(reader, tags.sequence, 'AlgorithmIdentifier');
  if (inner.peek() !== tags.oid) throw decodingProblem(inner, tags.oid, 'ObjectIdentifier');
  const oid = inner.oid('asn1: syntax error: zero length OBJECT IDENTIFIER');
  return { oid, parameters: inner.next()?.raw ?? new Uint8Array() };
}

/** The key and its algorithm, as X.509 writes them. Throws an X509Error. */
function parsePublicKeyInfo(reader: DerReader): PublicKey | undefined {
  const info = enter(reader, tags.sequence, 'publicKeyInfo');
  const algorithm = parseAlgorithm(info);
  if (info.peek() !== tags.bitString) throw decodingProblem(info, tags.bitString, 'BitString');
  return parsePublicKey(algorithm, info.bitString('asn1: syntax error: invalid padding bits in BIT STRING'));
}

/** A key by itself. Throws an X509Error. */
export function parsePkixPublicKey(bytes: Uint8Array): PublicKey {
  const reader = new DerReader(bytes);
  const key = parsePublicKeyInfo(reader);
  if (!reader.isEmpty) throw new X509Error('x509: trailing data after ASN.1 of public-key');
  if (!key) throw new X509Error('x509: unknown public key algorithm');
  return key;
}

/**
 * A request for a certificate (PKCS #10). Throws an X509Error; its signature is not checked.
 *
 * Differs from upstream: what is wrong inside the subject or the attributes is not always said in Go's words.
 */
export function parseCertificateRequest(bytes: Uint8Array): CertificateRequest {
  const reader = new DerReader(bytes);
  const outer = enter(reader, tags.sequence, 'certificateRequest');
  const body = take(outer, tags.sequence, 'tbsCertificateRequest');
  const signatureAlgorithm = parseAlgorithm(outer);
  if (outer.peek() !== tags.bitString) throw decodingProblem(outer, tags.bitString, 'BitString');
  const signature = outer.bitString('asn1: syntax error: invalid padding bits in BIT STRING');
  if (!reader.isEmpty) throw new X509Error('asn1: syntax error: trailing data');
  const inner = new DerReader(body.content);
  if (inner.peek() !== tags.integer) throw decodingProblem(inner, tags.integer, 'int');
  inner.integer('asn1: structure error: integer not minimally-encoded');
  const subject = inner.next();
  if (!subject) throw decodingProblem(inner, tags.sequence, 'RawValue');
  const publicKey = parsePublicKeyInfo(inner);
  const attributes = enter(inner, attributesTag, '');
  return {
    subject: parseName(subject.raw, (type) => `asn1: syntax error: ${type} contains invalid character`),
    ...(publicKey && { publicKey }),
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
    if (!attribute) throw decodingProblem(attributes, tags.sequence, 'RawValue');
    const values = extensionsIn(attribute);
    if (!values) continue;
    const list = enter(values, tags.sequence, '');
    while (!list.isEmpty) {
      const extension = enter(list, tags.sequence, 'Extension');
      const oid = extension.oid('asn1: syntax error: zero length OBJECT IDENTIFIER');
      if (requested.has(oid)) throw new X509Error('x509: certificate request contains duplicate requested extensions');
      requested.add(oid);
      extension.take(tags.boolean);
      const { content } = take(extension, tags.octetString, '');
      if (oid === subjectAlternativeName) names = parseAlternativeNames(content);
    }
  }
  return names;
}

function extensionsIn({ tag, content }: DerElement): DerReader | undefined {
  const reader = new DerReader(content);
  if (tag !== tags.sequence || reader.peek() !== tags.oid) return undefined;
  const isRequest = reader.oid('') === extensionRequest;
  const values = reader.take(tags.set);
  return isRequest && values && values.content.length > 0 ? new DerReader(values.content) : undefined;
}

/** Why the request is not signed by the key that it is for, in Go's words; undefined if it is. */
export function requestSignatureProblem(request: CertificateRequest): string | undefined {
  const { signatureAlgorithm, publicKey, body, signature } = request;
  return signatureProblem(signatureAlgorithm, publicKey, body, signature);
}
