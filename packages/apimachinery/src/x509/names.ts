import { tryDecodeUtf8 } from '../codec/utf8.ts';
import { type DerElement, DerReader, derTags, X509Error } from '../der/der-reader.ts';
import { latin1 } from './latin1.ts';

export interface NameAttribute {
  /** An object identifier: `2.5.4.3`. */
  readonly type: string;
  readonly value: string;
  /** The attribute in DER. */
  readonly raw: Uint8Array;
}

/** The subject or the issuer of a certificate. */
export interface Name {
  /** The name in DER. Names are compared by these bytes. */
  readonly raw: Uint8Array;
  /** The attributes that are strings, in order. */
  readonly attributes: readonly NameAttribute[];
  /** The last of several common names; empty when there is none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** The alternative names of a subject. */
export interface AlternativeNames {
  readonly dnsNames: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly ipAddresses: readonly Uint8Array[];
  readonly uris: readonly string[];
}

export const noAlternativeNames: AlternativeNames = { dnsNames: [], emailAddresses: [], ipAddresses: [], uris: [] };

const commonName = '2.5.4.3';
const organization = '2.5.4.10';
const utf8String = 0x0c;
const bmpString = 0x1e;
/** The string types with one byte per character, by tag, with the characters they allow. */
const byteStrings: ReadonlyMap<number, { readonly name: string; readonly allowed: RegExp }> = new Map([
  [0x12, { name: 'NumericString', allowed: /^[0-9 ]*$/ }],
  [0x13, { name: 'PrintableString', allowed: /^[A-Za-z0-9 '()+,\-./:=?*&]*$/ }],
  [0x14, { name: 'T61String', allowed: /^/ }],
  [0x16, { name: 'IA5String', allowed: /^\p{ASCII}*$/u }],
]);

const badValue = 'x509: invalid RDNSequence: invalid attribute value';

/** How attribute values are handled that are not valid strings: Go has two decoders. */
export interface ValueRules {
  /** Returns the message for a string with characters that its type does not allow. */
  readonly badString: (type: string) => string;
  /** Returns the message for a value that is not a string. Undefined: such attributes are ignored. */
  readonly noString: ((tag: number) => string) | undefined;
}

const certificateRules: ValueRules = {
  badString: (type) => `${badValue}: invalid ${type}`,
  noString: (tag) => `${badValue}: unsupported string type: ${tag}`,
};

/** Parses a name: a sequence of sets of attributes. Throws an X509Error. */
export function parseName(raw: Uint8Array, rules: ValueRules = certificateRules): Name {
  const reader = new DerReader(raw).enter(derTags.sequence, 'x509: invalid RDNSequence');
  const attributes: NameAttribute[] = [];
  while (!reader.isEmpty) {
    const set = reader.enter(derTags.set, 'x509: invalid RDNSequence');
    while (!set.isEmpty) {
      const attribute = set.takeOr(derTags.sequence, 'x509: invalid RDNSequence: invalid attribute');
      const inner = attribute.inside();
      const type = inner.oid('x509: invalid RDNSequence: invalid attribute type');
      const value = inner.next();
      if (!value) throw new X509Error(badValue);
      const text = decodeString(value, rules);
      if (text !== undefined) attributes.push({ type, value: text, raw: attribute.raw });
    }
  }
  return {
    raw,
    attributes,
    commonName: valuesOf(attributes, commonName).at(-1) ?? '',
    organizations: valuesOf(attributes, organization),
  };
}

const valuesOf = (attributes: readonly NameAttribute[], type: string): string[] =>
  attributes.filter((attribute) => attribute.type === type).map(({ value }) => value);

function decodeString({ tag, content }: DerElement, { badString, noString }: ValueRules): string | undefined {
  if (tag === utf8String) {
    const text = tryDecodeUtf8(content);
    if (text === undefined) throw new X509Error(badString('UTF-8 string'));
    return text;
  }
  if (tag === bmpString) return decodeBmpString(content, badString);
  const type = byteStrings.get(tag);
  if (!type) {
    if (noString) throw new X509Error(noString(tag));
    return undefined;
  }
  const text = latin1(content);
  if (!type.allowed.test(text)) throw new X509Error(badString(type.name));
  return text;
}

/**
 * Decodes two bytes per character. Refuses code units that are not characters, and half a character. A zero at the end is not part of the
 * text.
 */
function decodeBmpString(content: Uint8Array, badString: (type: string) => string): string {
  const isTerminated = content.length >= 2 && content.at(-1) === 0 && content.at(-2) === 0;
  const end = content.length - (isTerminated ? 2 : 0);
  let text = '';
  for (let i = 0; i < end; i += 2) {
    const unit = content[i]! * 256 + (content[i + 1] ?? 0xff);
    const isReserved = unit >= 0xfffe || (unit >= 0xfdd0 && unit <= 0xfdef) || (unit >= 0xd800 && unit <= 0xdfff);
    if (isReserved || i + 1 === end) throw new X509Error(badString('BMPString'));
    text += String.fromCharCode(unit);
  }
  return text;
}

const email = 0x81;
const dns = 0x82;
const uri = 0x86;
const ip = 0x87;

const malformed: Readonly<Record<number, string>> = {
  [email]: 'x509: SAN rfc822Name is malformed',
  [dns]: 'x509: SAN dNSName is malformed',
  [uri]: 'x509: SAN uniformResourceIdentifier is malformed',
};

/**
 * Parses the value of the extension with alternative names of the subject. Throws an X509Error.
 *
 * Differs from upstream: the form of URIs is not checked.
 */
export function parseAlternativeNames(value: Uint8Array): AlternativeNames {
  const reader = new DerReader(value).enter(derTags.sequence, 'x509: invalid subject alternative names');
  const found = {
    dnsNames: [] as string[],
    emailAddresses: [] as string[],
    ipAddresses: [] as Uint8Array[],
    uris: [] as string[],
  };
  const lists: Readonly<Record<number, string[]>> = {
    [email]: found.emailAddresses,
    [dns]: found.dnsNames,
    [uri]: found.uris,
  };
  while (!reader.isEmpty) {
    const name = reader.next();
    if (!name) throw new X509Error('x509: invalid subject alternative name');
    const { tag, content } = name;
    if (tag === ip) {
      if (content.length !== 4 && content.length !== 16)
        throw new X509Error(`x509: cannot parse IP address of length ${content.length}`);
      found.ipAddresses.push(content);
    } else if (lists[tag]) {
      if (content.some((byte) => byte >= 0x80)) throw new X509Error(malformed[tag]!);
      lists[tag].push(latin1(content));
    }
  }
  return found;
}
