import { DerReader, derTags, X509Error } from '../der/der-reader.ts';
import { type AlternativeNames, noAlternativeNames, parseAlternativeNames } from './names.ts';

/** The extensions of a certificate. */
export interface Extensions extends AlternativeNames {
  /** Whether the certificate may sign others. Undefined when it does not state this. */
  readonly isCA?: boolean;
  /** The maximum number of certificates between this one and the last of a chain; undefined for any number. */
  readonly maxPathLength?: number;
  /** The bits of the key usage, the first (digital signature) being 1; 0 without a key usage. */
  readonly keyUsage: number;
  /** Dotted identifiers; undefined when any usage is allowed. */
  readonly extendedKeyUsages?: readonly string[];
  /** Empty when there is none. */
  readonly subjectKeyId: Uint8Array;
  readonly authorityKeyId: Uint8Array;
  readonly hasAlternativeNames: boolean;
  readonly hasNameConstraints: boolean;
  /** Whether there is a critical extension that is not supported. */
  readonly hasUnhandledCriticalExtension: boolean;
}

export const noExtensions: Extensions = {
  ...noAlternativeNames,
  keyUsage: 0,
  subjectKeyId: new Uint8Array(),
  authorityKeyId: new Uint8Array(),
  hasAlternativeNames: false,
  hasNameConstraints: false,
  hasUnhandledCriticalExtension: false,
};

const known = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;

interface Extension {
  readonly critical: boolean;
  readonly value: Uint8Array;
}

const readers: ReadonlyMap<string, (extension: Extension) => Partial<Extensions>> = new Map([
  [known.subjectKeyId, readSubjectKeyId],
  [known.keyUsage, readKeyUsage],
  [known.alternativeNames, readAlternativeNames],
  [known.basicConstraints, readBasicConstraints],
  [known.nameConstraints, () => ({ hasNameConstraints: true })],
  [known.authorityKeyId, readAuthorityKeyId],
  [known.extendedKeyUsage, readExtendedKeyUsages],
]);

/** Reads the list of extensions. Throws an X509Error, also when an extension occurs twice. */
export function readExtensions(list: DerReader): Extensions {
  const found = new Map<string, Extension>();
  while (!list.isEmpty) {
    const extension = list.enter(derTags.sequence, 'x509: malformed extension');
    const oid = extension.oid('x509: malformed extension OID field');
    const critical =
      extension.peek() === derTags.boolean && extension.boolean('x509: malformed extension critical field');
    const { content } = extension.takeOr(derTags.octetString, 'x509: malformed extension value field');
    if (found.has(oid)) throw new X509Error(`x509: certificate contains duplicate extension with OID "${oid}"`);
    found.set(oid, { critical, value: content });
  }
  const extensions: { -readonly [name in keyof Extensions]: Extensions[name] } = { ...noExtensions };
  for (const [oid, extension] of found) {
    const read = readers.get(oid);
    if (read) Object.assign(extensions, read(extension));
    else if (extension.critical) extensions.hasUnhandledCriticalExtension = true;
  }
  return extensions;
}

function readSubjectKeyId({ critical, value }: Extension): Partial<Extensions> {
  if (critical) throw new X509Error('x509: subject key identifier incorrectly marked critical');
  const { content } = new DerReader(value).takeOr(derTags.octetString, 'x509: invalid subject key identifier');
  return { subjectKeyId: content };
}

function readAuthorityKeyId({ critical, value }: Extension): Partial<Extensions> {
  if (critical) throw new X509Error('x509: authority key identifier incorrectly marked critical');
  const message = 'x509: invalid authority key identifier';
  const reader = new DerReader(value).enter(derTags.sequence, message);
  return reader.peek() === 0x80 ? { authorityKeyId: reader.takeOr(0x80, message).content } : {};
}

/** There are nine usages; the first is the highest bit. */
function readKeyUsage({ value }: Extension): Partial<Extensions> {
  const { bytes } = new DerReader(value).bits('x509: invalid key usage');
  let keyUsage = 0;
  for (let i = 0; i < 9; i++) if ((bytes[i >> 3] ?? 0) & (0x80 >> (i & 7))) keyUsage |= 1 << i;
  return { keyUsage };
}

function readExtendedKeyUsages({ value }: Extension): Partial<Extensions> {
  const message = 'x509: invalid extended key usages';
  const extendedKeyUsages: string[] = [];
  for (const reader = new DerReader(value).enter(derTags.sequence, message); !reader.isEmpty; )
    extendedKeyUsages.push(reader.oid(message));
  return { extendedKeyUsages };
}

function readAlternativeNames({ critical, value }: Extension): Partial<Extensions> {
  const names = parseAlternativeNames(value);
  const isEmpty = Object.values(names).every((list: readonly unknown[]) => list.length === 0);
  return {
    ...names,
    hasAlternativeNames: true,
    ...(critical && isEmpty && { hasUnhandledCriticalExtension: true }),
  };
}

function readBasicConstraints({ value }: Extension): Partial<Extensions> {
  const message = 'x509: invalid basic constraints';
  const reader = new DerReader(value).enter(derTags.sequence, message);
  const isCA = reader.peek() === derTags.boolean && reader.boolean(message);
  if (reader.peek() !== derTags.integer) return { isCA };
  const length = reader.integer(message);
  if (length < 0n || length >= 2n ** 63n) throw new X509Error(message);
  return { isCA, maxPathLength: Number(length) };
}
