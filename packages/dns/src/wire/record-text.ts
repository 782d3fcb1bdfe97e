import { addressText } from './addresses.ts';
import { fqdn } from './domain-name.ts';
import type { ResourceRecord } from './message.ts';
import { isDomainName } from './name-codec.ts';
import { classByName, classIn, className, Type, typeByName, typeName } from './numbers.ts';
import { addressRecord, mxRecord, nameRecord, soaRecord, srvRecord, txtRecord } from './records.ts';
import { WireError } from './wire-error.ts';

/** What zone files and Corefiles may leave out. */
const defaultTtl = 3600;

/**
 * Parses a record as it stands in a zone file: `NAME [TTL] [CLASS] TYPE DATA`, in one line and with absolute names. Types: A, AAAA, CNAME, HINFO, MX, NS, PTR, SOA,
 * SRV, TXT, and any type as `\# LENGTH HEX`. Throws a WireError.
 */
export function parseRecord(text: string): ResourceRecord {
  const words = wordsOf(text);
  const name = nameOf(words.shift());
  let ttl = defaultTtl;
  let value = classIn;
  let type: number | undefined;
  while (type === undefined) {
    const word = words.shift()?.text;
    if (word === undefined) throw new WireError(`the record ${JSON.stringify(text)} has no type`);
    if (/^\d+$/.test(word)) ttl = numberOf(word, 0xffffffff);
    else if (classByName(word) !== undefined && typeByName(word) === undefined) value = classByName(word) ?? classIn;
    else type = typeOf(word);
  }
  return { ...recordOf(name, type, ttl, words), class: value };
}

interface Word {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** Brackets only let a record continue on the next line. */
function wordsOf(text: string): Word[] {
  return Array.from(text.matchAll(/"((?:[^"\\]|\\.)*)"|([^\s()]+)/g), ([, quoted, plain]) => ({
    text: plain ?? quoted?.replace(/\\(["\\])/g, '$1') ?? '',
    isQuoted: quoted !== undefined,
  }));
}

function typeOf(word: string): number {
  const type = typeByName(word) ?? Number(/^TYPE(\d+)$/i.exec(word)?.[1] ?? Number.NaN);
  if (!(type <= 0xffff)) throw new WireError(`${JSON.stringify(word)} is no type of records`);
  return type;
}

function nameOf(word: Word | undefined): string {
  const name = fqdn(word?.text ?? '');
  if (!isDomainName(name)) throw new WireError(`${JSON.stringify(word?.text ?? '')} is no domain name`);
  return name;
}

function numberOf(word: string | undefined, highest: number): number {
  const value = word !== undefined && /^\d+$/.test(word) ? Number(word) : Number.NaN;
  if (!(value <= highest)) throw new WireError(`${JSON.stringify(word ?? '')} is no number up to ${highest}`);
  return value;
}

function recordOf(name: string, type: number, ttl: number, words: Word[]): ResourceRecord {
  const [first] = words;
  if (first?.text === '\\#' && !first.isQuoted) return { name, type, class: classIn, ttl, rdata: unknownData(words) };
  const short = (): number => numberOf(words.shift()?.text, 0xffff);
  const long = (): number => numberOf(words.shift()?.text, 0xffffffff);
  const record = ((): ResourceRecord => {
    switch (type) {
      case Type.A:
      case Type.AAAA: {
        const found = addressRecord(name, ttl, words.shift()?.text ?? '');
        if (found.type !== type) throw new WireError(`the address is none for the type ${typeName(type)}`);
        return found;
      }
      case Type.CNAME:
      case Type.NS:
      case Type.PTR:
        return nameRecord(name, type, ttl, nameOf(words.shift()));
      case Type.MX:
        return mxRecord(name, ttl, short(), nameOf(words.shift()));
      case Type.SRV:
        return srvRecord(name, ttl, {
          priority: short(),
          weight: short(),
          port: short(),
          target: nameOf(words.shift()),
        });
      case Type.TXT:
        return txtRecord(name, ttl, texts(words.splice(0)));
      case Type.HINFO:
        return { ...txtRecord(name, ttl, texts(words.splice(0))), type };
      case Type.SOA:
        return soaRecord(name, ttl, {
          primary: nameOf(words.shift()),
          mailbox: nameOf(words.shift()),
          serial: long(),
          refresh: long(),
          retry: long(),
          expire: long(),
          minimum: long(),
        });
      default:
        throw new WireError(`records of the type ${typeName(type)} cannot be written as text; use \\# LENGTH HEX`);
    }
  })();
  if (words.length > 0) throw new WireError(`${JSON.stringify(words[0]?.text)} is too much for ${typeName(type)}`);
  return record;
}

function texts(words: readonly Word[]): string[] {
  if (words.length === 0) throw new WireError('a text is missing');
  return words.map(({ text }) => text);
}

/** The form of RFC 3597 for types that the reader does not know. */
function unknownData(words: readonly Word[]): Buffer[] {
  const [, length, ...hex] = words;
  const bytes = Buffer.from(hex.map(({ text }) => text).join(''), 'hex');
  if (bytes.length !== numberOf(length?.text, 0xffff)) throw new WireError('the data do not have the given length');
  return [bytes];
}

/** Returns a record as `dig` prints it, with the parts separated by single spaces. Unknown data are in the form of RFC 3597. */
export function recordText(record: ResourceRecord): string {
  const { name, type, class: value, ttl } = record;
  return `${name} ${ttl} ${className(value)} ${typeName(type)} ${dataText(record)}`;
}

function dataText({ type, rdata }: ResourceRecord): string {
  const bytes = Buffer.concat(rdata.filter((part) => typeof part !== 'string'));
  const names = rdata.filter((part) => typeof part === 'string');
  switch (type) {
    case Type.A:
    case Type.AAAA:
      return addressText(bytes);
    case Type.MX:
    case Type.SRV:
      return [...shorts(bytes), ...names].join(' ');
    case Type.SOA:
      return [...names, ...Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32BE(index * 4))].join(
        ' ',
      );
    case Type.TXT:
    case Type.HINFO:
      return strings(bytes).join(' ');
    default:
      return names.length > 0 && bytes.length === 0
        ? names.join(' ')
        : `\\# ${bytes.length} ${bytes.toString('hex').toUpperCase()}`;
  }
}

const shorts = (bytes: Buffer): number[] =>
  Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readUInt16BE(index * 2));

function strings(bytes: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at < bytes.length; at += 1 + (bytes[at] ?? 0)) {
    found.push(JSON.stringify(bytes.toString('latin1', at + 1, at + 1 + (bytes[at] ?? 0))));
  }
  return found;
}
