import { type Duration, parseDuration, parseIPSloppy, quote } from '@coxswain/apimachinery';
import { parseCsv } from './csv.ts';

/** How the text after a flag is read. */
export interface FlagType<T> {
  /** As `--help` calls it. */
  readonly name: string;
  /** What the flag says when it stands without a value; absent: it needs one. */
  readonly alone?: string;
  /** What one flag says after what earlier ones said. Throws an Error in the words of Go's library. */
  read(text: string, before: T | undefined): T;
}

export const string: FlagType<string> = { name: 'string', read: (text) => text };

const truths: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

/** Throws as Go's strconv.ParseBool. */
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

/** A whole number that is neither smaller nor larger. */
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

/** Empty: none. */
export const ip: FlagType<string> = {
  name: 'ip',
  read(text) {
    const address = text.trim();
    if (address !== '' && !parseIPSloppy(address)) throw new Error(`failed to parse IP: ${quote(text)}`);
    return address;
  },
};

/** Comma-separated, and what is given again is added. */
export const strings: FlagType<readonly string[]> = {
  name: 'strings',
  read: (text, before = []) => [...before, ...(text === '' ? [] : (parseCsv(text)[0] ?? []))],
};

/** Comma-separated, and the last one counts. */
export const list: FlagType<readonly string[]> = { name: 'string', read: (text) => text.split(',') };

/** Only what is given again is added: commas are part of it. */
export const stringArray: FlagType<readonly string[]> = {
  name: 'stringArray',
  read: (text, before = []) => [...before, text],
};

/** `a=1,b=2`; what has no value has an empty one. */
export const mapping: FlagType<ReadonlyMap<string, string>> = {
  name: 'mapStringString',
  read(text, before = new Map()) {
    const pairs = text.split(',').filter((pair) => pair.trim() !== '');
    return new Map([...before, ...pairs.map(keyAndValue)]);
  },
};

/** `a=1`, commas and all; may be repeated. */
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

/** A certificate by server name: `cert,key` or `cert,key:name,name`. */
export interface NamedCertificate {
  readonly certificateFile: string;
  readonly keyFile: string;
  /** Empty: the names that the certificate has. */
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
