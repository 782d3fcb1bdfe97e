import { DerReader, tags, X509Error } from './der.ts';

/** What certificates and requests say about whom they are for, as far as rules ask for it. */
export interface Subject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

export interface AlternativeNames {
  readonly dnsNames: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly ipAddresses: readonly Uint8Array[];
  readonly uris: readonly string[];
}

export const noAlternativeNames: AlternativeNames = { dnsNames: [], emailAddresses: [], ipAddresses: [], uris: [] };

const commonName = '550403';
const organization = '55040a';
const utf8String = 0x0c;
/** Strings of one byte per character, by tag, and what may be in them. */
const byteStrings: ReadonlyMap<number, { readonly name: string; readonly allowed: RegExp }> = new Map([
  [0x12, { name: 'NumericString', allowed: /^[0-9 ]*$/ }],
  [0x13, { name: 'PrintableString', allowed: /^[A-Za-z0-9 '()+,\-./:=?*&]*$/ }],
  [0x14, { name: 'T61String', allowed: /^/ }],
  [0x16, { name: 'IA5String', allowed: /^\p{ASCII}*$/u }],
]);
const bmpString = 0x1e;

const invalidString = (type: string): string => `x509: invalid RDNSequence: invalid attribute value: invalid ${type}`;

/**
 * A name is a sequence of sets of attributes. Throws an X509Error; what it says of a string with characters that its type
 * does not have is for the caller to word.
 */
export function parseName(raw: Uint8Array, badString: (type: string) => string = invalidString): Subject {
  const reader = new DerReader(raw).enter(tags.sequence, 'x509: invalid RDNSequence');
  let common = '';
  const organizations: string[] = [];
  while (!reader.isEmpty) {
    const set = reader.enter(tags.set, 'x509: invalid RDNSequence');
    while (!set.isEmpty) {
      const attribute = set.enter(tags.sequence, 'x509: invalid RDNSequence: invalid attribute');
      const type = attribute.oid('x509: invalid RDNSequence: invalid attribute type');
      const value = attribute.next();
      if (!value) throw new X509Error('x509: invalid RDNSequence: invalid attribute value');
      const text = decodeString(value.tag, value.content, badString);
      if (type === commonName) common = text;
      if (type === organization) organizations.push(text);
    }
  }
  return { commonName: common, organizations };
}

function decodeString(tag: number, content: Uint8Array, badString: (type: string) => string): string {
  if (tag === utf8String) {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(content);
    } catch {
      throw new X509Error(invalidString('UTF-8 string'));
    }
  }
  if (tag === bmpString) {
    if (content.length % 2 !== 0) throw new X509Error(badString('BMPString'));
    return new TextDecoder('utf-16be').decode(content);
  }
  const type = byteStrings.get(tag);
  if (!type) throw new X509Error(`x509: invalid RDNSequence: invalid attribute value: unsupported string type: ${tag}`);
  const text = latin1(content);
  if (!type.allowed.test(text)) throw new X509Error(badString(type.name));
  return text;
}

const latin1 = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

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
 * The value of the extension for other names of the subject. Throws an X509Error.
 *
 * Differs from upstream: what a URI looks like is not checked.
 */
export function parseAlternativeNames(value: Uint8Array): AlternativeNames {
  const reader = new DerReader(value).enter(tags.sequence, 'x509: invalid subject alternative names');
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
