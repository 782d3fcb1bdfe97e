import { decodeBase64 } from '@coxswain/apimachinery';

interface PemBlock {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The blocks of a PEM text. What is no block is passed over, as Go does. */
function* pemBlocks(text: string): Generator<PemBlock> {
  const begin = /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t]*\r?(?=\n)/g;
  let end = -1;
  for (let match = begin.exec(text); match; match = begin.exec(text)) {
    const type = match[1]!;
    // The same end serves many beginnings: looking for it anew each time would cost the square of the text's length.
    if (end < begin.lastIndex) end = text.indexOf('\n-----END ', begin.lastIndex);
    if (end < 0) return;
    const body = text.slice(begin.lastIndex, end);
    if (!text.startsWith(`${type}-----`, end + '\n-----END '.length) || body.includes('-----BEGIN')) continue;
    try {
      // Headers such as `Proc-Type: 4,ENCRYPTED` stand before an empty line.
      yield { type, bytes: decodeBase64(body.replace(/^(?:\n[^\n:]*:[^\n]*)+\n/, '').replace(/\s/g, '')) };
    } catch {}
  }
}

interface Search {
  readonly block?: PemBlock;
  readonly skipped: readonly string[];
}

function findBlock(text: string, isWanted: (type: string) => boolean): Search {
  const skipped: string[] = [];
  for (const block of pemBlocks(text)) {
    if (isWanted(block.type)) return { block, skipped };
    skipped.push(block.type);
  }
  return { skipped };
}

/**
 * What is wrong with a certificate and its private key, in the words of Go's TLS library; undefined when nothing is.
 *
 * Differs from upstream: of the binary content only what holds the two together is read, and that a key of an elliptic
 * curve belongs to the certificate is checked only where the key names its public half.
 */
export function keyPairProblem(certificate: string, key: string): string | undefined {
  const cert = findBlock(certificate, (type) => type === 'CERTIFICATE');
  if (!cert.block) {
    if (cert.skipped.length === 0) return 'tls: failed to find any PEM data in certificate input';
    if (cert.skipped.length === 1 && cert.skipped[0]!.endsWith('PRIVATE KEY'))
      return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
    return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${cert.skipped.join(' ')}]`;
  }
  const privateKey = findBlock(key, (type) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'));
  if (!privateKey.block) {
    if (privateKey.skipped.length === 0) return 'tls: failed to find any PEM data in key input';
    if (privateKey.skipped.length === 1 && privateKey.skipped[0] === 'CERTIFICATE')
      return 'tls: found a certificate rather than a key in the PEM for the private key';
    return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${privateKey.skipped.join(' ')}]`;
  }
  const publicHalf = publicKeyOfCertificate(cert.block.bytes);
  if (!publicHalf) return 'x509: malformed certificate';
  const privateHalf = publicHalfOfPrivateKey(privateKey.block.bytes);
  if (!privateHalf) return 'tls: failed to parse private key';
  if (publicHalf.algorithm !== privateHalf.algorithm) return 'tls: private key type does not match public key type';
  if (privateHalf.key && !sameBytes(publicHalf.key, privateHalf.key))
    return 'tls: private key does not match public key';
  return undefined;
}

interface PublicKey {
  readonly algorithm: string;
  /** An RSA key's modulus, an elliptic curve's point. */
  readonly key: Uint8Array;
}

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
}

const sequence = 0x30;
const integer = 0x02;
const bitString = 0x03;
const octetString = 0x04;

const algorithms = new Map([
  ['2a864886f70d010101', 'RSA'],
  ['2a8648ce3d0201', 'ECDSA'],
  ['2b6570', 'Ed25519'],
]);

/** The elements of a DER sequence's content; empty when it is malformed. */
function elements(bytes: Uint8Array | undefined): Element[] {
  const found: Element[] = [];
  for (let at = 0; bytes && at < bytes.length; ) {
    const tag = bytes[at]!;
    let length = bytes[at + 1] ?? 0;
    at += 2;
    if (length > 0x80) {
      const digits = length & 0x7f;
      length = 0;
      for (let i = 0; i < digits; i++) length = length * 256 + (bytes[at++] ?? 0);
    }
    if (at + length > bytes.length) return [];
    found.push({ tag, content: bytes.subarray(at, at + length) });
    at += length;
  }
  return found;
}

const inside = (element: Element | undefined, tag: number): Element[] =>
  element?.tag === tag ? elements(element.content) : [];

function algorithmOf(identifier: Element | undefined): string | undefined {
  const [oid] = inside(identifier, sequence);
  return oid && algorithms.get(Array.from(oid.content, (byte) => byte.toString(16).padStart(2, '0')).join(''));
}

function publicKeyOfCertificate(bytes: Uint8Array): PublicKey | undefined {
  const [body] = inside(elements(bytes)[0], sequence);
  const fields = inside(body, sequence);
  // The version is optional and stands first, in a tag of its own.
  const info = inside(fields[fields[0]?.tag === 0xa0 ? 6 : 5], sequence);
  const algorithm = algorithmOf(info[0]);
  if (!algorithm || info[1]?.tag !== bitString) return undefined;
  const key = info[1].content.subarray(1);
  return { algorithm, key: algorithm === 'RSA' ? (inside(elements(key)[0], sequence)[0]?.content ?? key) : key };
}

/** Without `key` where the private key does not tell it. */
type PublicHalf = { readonly algorithm: string; readonly key?: Uint8Array };

/** PKCS #8 wraps one of the older forms. */
function publicHalfOfPrivateKey(bytes: Uint8Array): PublicHalf | undefined {
  const fields = inside(elements(bytes)[0], sequence);
  const algorithm = algorithmOf(fields[1]);
  if (!algorithm) return publicHalfOfFields(fields);
  if (fields[0]?.tag !== integer || fields[2]?.tag !== octetString) return undefined;
  if (algorithm === 'Ed25519') return { algorithm };
  const inner = publicHalfOfFields(inside(elements(fields[2].content)[0], sequence));
  return inner?.algorithm === algorithm ? inner : undefined;
}

/** An RSA key is a list of integers (PKCS #1); one of an elliptic curve holds an octet string. */
function publicHalfOfFields(fields: readonly Element[]): PublicHalf | undefined {
  if (fields[0]?.tag !== integer) return undefined;
  if (fields[1]?.tag === integer) return { algorithm: 'RSA', key: fields[1].content };
  if (fields[1]?.tag !== octetString) return undefined;
  const point = fields.find(({ tag }) => tag === 0xa1);
  const key = point && elements(point.content)[0]?.content.subarray(1);
  return { algorithm: 'ECDSA', ...(key && { key }) };
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);
