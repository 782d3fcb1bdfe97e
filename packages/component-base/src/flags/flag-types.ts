import { type Duration, parseDuration, parseIPSloppy, quote } from '@coxswain/apimachinery';
import { parseCsv } from './csv.ts';

/** Parses the value of a flag. */
export interface FlagType<T> {
  /** The type's name in `--help`. */
  readonly name: string;
  /** The value when the flag is given without one; absent: a value is required. */
  readonly alone?: string;
  /**
   * Parses a value. `before` is the result of earlier occurrences of the flag. Throws an Error with the message of Go's
   * library.
   */
  read(text: string, before: T | undefined): T;
}

export const string: FlagType<string> = { name: 'string', read: (text) => text };

const truths: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

/** Throws an Error as Go's strconv.ParseBool. */
export function readBoolean(text: string): boolean {
  const value = truths.get(text);
  if (value === undefined) throw new Error(`strconv.ParseBool: parsing ${quote(text)}: invalid syntax`);
  return value;
}

export const boolean: FlagType<boolean> = { name: '', alone: 'true', read: readBoolean };

const integerOf = (name: string, parser: string, pattern: RegExp): FlagType<number> => ({
  name,
  read(text) {
    if (!pattern.test(text)) throw new Error(`strconv.${parser}: parsing ${quote(text)}: invalid syntax`);
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw new Error(`strconv.${parser}: parsing ${quote(text)}: value out of range`);
    return value;
  },
});

export const integer = integerOf('int', 'ParseInt', /^[-+]?\d+$/);
export const unsigned = integerOf('uint', 'ParseUint', /^\d+$/);

/** An integer within inclusive bounds. */
export const integerBetween = (least: number, most: number): FlagType<number> => ({
  name: 'int',
  read(text) {
    const value = integer.read(text, undefined);
    if (value < least || value > most) throw new Error(`must be between ${least} and ${most}, inclusive`);
    return value;
  },
});

export const float: FlagType<number> = {
  name: 'float',
  read(text) {
    if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text))
      throw new Error(`strconv.ParseFloat: parsing ${quote(text)}: invalid syntax`);
    return Number(text);
  },
};

export const duration: FlagType<Duration> = {
  name: 'duration',
  read(text) {
    parseDuration(text);
    return text;
  },
};

/** An IP address, or empty for none. */
export const ip: FlagType<string> = {
  name: 'ip',
  read(text) {
    const address = text.trim();
    if (address !== '' && !parseIPSloppy(address)) throw new Error(`failed to parse IP: ${quote(text)}`);
    return address;
  },
};

/** Comma-separated. Repeated flags append. */
export const strings: FlagType<readonly string[]> = {
  name: 'strings',
  read: (text, before = []) => [...before, ...(text === '' ? [] : (parseCsv(text)[0] ?? []))],
};

/** Comma-separated. The last flag wins. */
export const list: FlagType<readonly string[]> = { name: 'string', read: (text) => text.split(',') };

/** One element per flag: commas are part of the value. Repeated flags append. */
export const stringArray: FlagType<readonly string[]> = {
  name: 'stringArray',
  read: (text, before = []) => [...before, text],
};

/** `a=1,b=2`. A key without a value maps to an empty string. */
export const mapping: FlagType<ReadonlyMap<string, string>> = {
  name: 'mapStringString',
  read(text, before = new Map()) {
    const pairs = text.split(',').filter((pair) => pair.trim() !== '');
    return new Map([...before, ...pairs.map(keyAndValue)]);
  },
};

/** One `a=1` per flag: commas are part of the value. Repeated flags append. */
export const pair: FlagType<ReadonlyMap<string, string>> = {
  name: 'mapStringString',
  read(text, before = new Map()) {
    if (!text.includes('=')) throw new Error('malformed pair, expect string=string');
    return new Map([...before, keyAndValue(text)]);
  },
};

function keyAndValue(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return at === -1 ? [pair.trim(), ''] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
}

/** A certificate with the server names it is used for: `cert,key` or `cert,key:name,name`. */
export interface NamedCertificate {
  readonly certificateFile: string;
  readonly keyFile: string;
  /** Empty: the names in the certificate. */
  readonly names: readonly string[];
}

export const namedCertificates: FlagType<readonly NamedCertificate[]> = {
  name: 'namedCertKey',
  read(text, before = []) {
    const [files = '', names, ...more] = text.trim().split(':');
    const [certificateFile, keyFile, ...rest] = files.split(',').map((part) => part.trim());
    if (!certificateFile || !keyFile || rest.length > 0 || more.length > 0 || names === '')
      throw new Error('expected comma separated certificate and key file paths');
    const domains = (names ?? '').split(',').flatMap((name) => name.trim() || []);
    return [...before, { certificateFile, keyFile, names: domains }];
  },
};
