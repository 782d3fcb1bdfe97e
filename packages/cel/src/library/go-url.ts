import { quote } from '@coxswain/apimachinery';
import { Pace, type Steps } from '../steps/steps.ts';
import { parseAddress } from './netip.ts';

/** A URL as Go's net/url splits it. Parts are decoded unless stated otherwise. */
export interface GoUrl {
  readonly scheme: string;
  /** The text after a scheme without a following slash, encoded. */
  readonly opaque: string;
  /** Encoded; undefined without an `@`. */
  readonly user: string | undefined;
  /** Includes the port. */
  readonly host: string;
  /** Encoded as given if that is valid, otherwise as Go encodes it. */
  readonly escapedPath: string;
  /** Encoded; undefined without a `?`. */
  readonly rawQuery: string | undefined;
  /** Encoded like the path. */
  readonly escapedFragment: string;
  /** The URL has a path after the scheme, without `//`. */
  readonly omitsHost: boolean;
}

/** A part of a URL, which determines the characters to encode. */
type Part = 'path' | 'fragment' | 'host' | 'zone' | 'user' | 'query';

/** Characters that need no encoding, besides letters, digits and `-_.~`. */
const unescaped: Readonly<Record<Part, string>> = {
  path: '$&+,/:;=@',
  fragment: '$&+,/:;=?@!()*',
  host: '!$&\'()*+,;=:[]<>"',
  zone: '!$&\'()*+,;=:[]<>"',
  user: '$&+,;=',
  query: '',
};
const isUnreserved = (character: string): boolean => /^[A-Za-z0-9\-_.~]$/.test(character);
const mayStand = (byte: string, part: Part): boolean => isUnreserved(byte) || unescaped[part].includes(byte);

/** Converts between text and strings with one character per UTF-8 byte, which the functions here use. */
const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);
const toBytes = (text: string): string => (isAscii(text) ? text : Buffer.from(text).toString('latin1'));
const fromBytes = (bytes: string): string => (isAscii(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString());

/** Parses a request URI: an absolute URL or an absolute path. Throws an Error with Go's message. */
export function parseRequestUri(text: string): void {
  failingWith(text, () => parse(toBytes(text), true));
}

/** Parses any URL. Throws an Error with Go's message. */
export function parseGoUrl(text: string): GoUrl {
  const [beforeFragment, fragment = ''] = cut(text, '#');
  const url = failingWith(beforeFragment, () => parse(toBytes(beforeFragment), false));
  return { ...url, escapedFragment: failingWith(text, () => normalized(toBytes(fragment), 'fragment')) };
}

function failingWith<T>(url: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof Error ? new Error(`parse ${quote(url)}: ${error.message}`, { cause: error }) : error;
  }
}

function cut(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function parse(text: string, isRequest: boolean): Omit<GoUrl, 'escapedFragment'> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (/[\0-\x1f\x7f]/.test(text)) throw new Error('net/url: invalid control character in URL');
  if (text === '' && isRequest) throw new Error('empty url');
  const nothing = { scheme: '', opaque: '', user: undefined, host: '', rawQuery: undefined, omitsHost: false };
  if (text === '*') return { ...nothing, escapedPath: '*' };
  if (text.startsWith(':')) throw new Error('missing protocol scheme');
  const written = /^([A-Za-z][A-Za-z0-9+\-.]*):/.exec(text)?.[1];
  const scheme = (written ?? '').toLowerCase();
  const [rest, query] = cut(written === undefined ? text : text.slice(written.length + 1), '?');
  const parts = { ...nothing, scheme, rawQuery: query === undefined ? undefined : fromBytes(query) };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...parts, opaque: fromBytes(rest), escapedPath: '' };
    if (isRequest) throw new Error('invalid URI for request');
    if (cut(rest, '/')[0].includes(':')) throw new Error('first path segment in URL cannot contain colon');
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || (!isRequest && !rest.startsWith('///')));
  if (!hasAuthority) return { ...parts, omitsHost: scheme !== '', escapedPath: normalized(rest, 'path') };
  const slash = rest.indexOf('/', 2);
  const authority = parseAuthority(scheme, rest.slice(2, slash < 0 ? undefined : slash));
  return { ...parts, ...authority, escapedPath: normalized(slash < 0 ? '' : rest.slice(slash), 'path') };
}

function parseAuthority(scheme: string, authority: string): Pick<GoUrl, 'host' | 'user'> {
  const at = authority.lastIndexOf('@');
  const host = fromBytes(parseHost(scheme, authority.slice(at + 1)));
  if (at < 0) return { host, user: undefined };
  const user = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new Error('net/url: invalid userinfo');
  const [name, password] = cut(user, ':');
  const again = (text: string): string => percentEncode(percentDecode(text, 'user'), 'user');
  return { host, user: password === undefined ? again(name) : `${again(name)}:${again(password)}` };
}

function parseHost(scheme: string, host: string): string {
  const bracket = host.lastIndexOf('[');
  if (bracket > 0) throw new Error('invalid IP-literal');
  if (bracket === 0) return parseIPLiteral(host);
  const colon = scheme === 'http' || scheme === 'https' ? host.indexOf(':') : host.lastIndexOf(':');
  if (colon >= 0) checkPort(host.slice(colon));
  return percentDecode(host, 'host');
}

function parseIPLiteral(host: string): string {
  const end = host.lastIndexOf(']');
  if (end < 0) throw new Error("missing ']' in host");
  const port = host.slice(end + 1);
  checkPort(port);
  const name = host.slice(1, end);
  const zone = name.indexOf('%25');
  const address =
    zone < 0
      ? percentDecode(name, 'host')
      : percentDecode(name.slice(0, zone), 'host') + percentDecode(name.slice(zone), 'zone');
  const { bytes } = failingAsHost(() => parseAddress(fromBytes(address)));
  if (bytes.length === 4) throw new Error('invalid IP-literal');
  return `[${address}]${port}`;
}

function failingAsHost<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof Error ? new Error(`invalid host: ${error.message}`, { cause: error }) : error;
  }
}

function checkPort(port: string): void {
  if (!/^(?::[0-9]*)?$/.test(port)) throw new Error(`invalid port ${quote(fromBytes(port))} after host`);
}

function percentDecode(text: string, part: Part): string {
  const isHost = part === 'host' || part === 'zone';
  if (!isHost && !/[%+]/.test(text)) return text;
  const bytes = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    let byte = text.charCodeAt(i);
    if (byte === percent) {
      byte = decodedEscape(text, i, part);
      i += 2;
    } else if (isHost && byte < 0x80 && !mayStand(text[i]!, part)) {
      throw new Error(`invalid character ${quote(text[i]!)} in host name`);
    } else if (byte === plus && part === 'query') byte = space;
    bytes[length++] = byte;
  }
  return bytes.toString('latin1', 0, length);
}

const percent = 0x25;
const plus = 0x2b;
const space = 0x20;

/** Returns the value of a hexadecimal digit, or -1. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function decodedEscape(text: string, at: number, part: Part): number {
  const [high, low] = [hexDigit(text.charCodeAt(at + 1)), hexDigit(text.charCodeAt(at + 2))];
  if (part === 'host' || part === 'zone' || high < 0 || low < 0) checkEscape(text.slice(at, at + 3), part);
  return high * 16 + low;
}

function checkEscape(escaped: string, part: Part): void {
  const code = /^%[0-9a-fA-F]{2}$/.test(escaped) ? Number.parseInt(escaped.slice(1), 16) : undefined;
  // In a host, only non-ASCII bytes and the `%25` before a zone may be encoded.
  const isMeant =
    code !== undefined &&
    (escaped === '%25' ||
      (part === 'host'
        ? code >= 0x80
        : part !== 'zone' || code === 0x20 || mayStand(String.fromCharCode(code), 'host')));
  if (!isMeant) throw new Error(`invalid URL escape ${quote(fromBytes(escaped))}`);
}

/** Byte → its encoded form, by part. */
const encodings = new Map<Part, readonly string[]>();

function encodingOf(part: Part): readonly string[] {
  let encoding = encodings.get(part);
  if (encoding === undefined) {
    encoding = Array.from({ length: 256 }, (_, code) => {
      const byte = String.fromCharCode(code);
      return mayStand(byte, part) ? byte : `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
    });
    encodings.set(part, encoding);
  }
  return encoding;
}

function percentEncode(text: string, part: Part): string {
  const encoding = encodingOf(part);
  const bytes = Buffer.allocUnsafe(3 * text.length);
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const encoded = encoding[text.charCodeAt(i)] ?? '';
    bytes[length++] = encoded.charCodeAt(0);
    if (encoded.length > 1) {
      bytes[length++] = encoded.charCodeAt(1);
      bytes[length++] = encoded.charCodeAt(2);
    }
  }
  return bytes.toString('latin1', 0, length);
}

const validEncoded = /^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]%/]*$/;

/** Returns the text as given if it is validly encoded, otherwise decoded and encoded again. */
function normalized(text: string, part: 'path' | 'fragment'): string {
  const decoded = percentDecode(text, part);
  const isValid = validEncoded.test(part === 'fragment' ? text.replaceAll('?', '') : text);
  return isValid ? text : percentEncode(decoded, part);
}

/** Formats a URL like Go. */
export function formatGoUrl(url: GoUrl): string {
  const { scheme, opaque, user, host, escapedPath, rawQuery, escapedFragment, omitsHost } = url;
  let text = scheme === '' ? '' : `${scheme}:`;
  if (opaque !== '') text += opaque;
  else {
    const hasAuthority = !omitsHost || host !== '' || user !== undefined;
    if ((scheme !== '' || host !== '' || user !== undefined) && hasAuthority) {
      if (host !== '' || escapedPath !== '' || user !== undefined) text += '//';
      if (user !== undefined) text += `${user}@`;
      text += percentEncode(toBytes(host), 'host');
    }
    if (escapedPath !== '' && !escapedPath.startsWith('/') && host !== '') text += '/';
    if (text === '' && cut(escapedPath, '/')[0].includes(':')) text += './';
    text += escapedPath;
  }
  if (rawQuery !== undefined) text += `?${rawQuery}`;
  return escapedFragment === '' ? text : `${text}#${escapedFragment}`;
}

/** Returns the host without port, and without brackets around an IPv6 address. */
export function hostnameOf(host: string): string {
  const [name] = splitPort(host);
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
}

/** Returns the port, or an empty string. */
export const portOf = (host: string): string => splitPort(host)[1];

function splitPort(host: string): [name: string, port: string] {
  const colon = host.lastIndexOf(':');
  return colon >= 0 && /^:[0-9]*$/.test(host.slice(colon)) ? [host.slice(0, colon), host.slice(colon + 1)] : [host, ''];
}

/** Parses a query into keys in order with their values. Malformed pairs are skipped. */
export function* parseQuery(query: string): Steps<Map<string, string[]>> {
  const values = new Map<string, string[]>();
  const pace = new Pace();
  const bytes = toBytes(query);
  for (let start = 0, end = 0; start <= bytes.length; start = end + 1) {
    end = bytes.indexOf('&', start);
    if (end < 0) end = bytes.length;
    const pair = bytes.slice(start, end);
    if (pace.isOver(16 + pair.length)) yield pace.taken;
    if (pair === '' || pair.includes(';')) continue;
    const [key, value = ''] = cut(pair, '=');
    try {
      const name = fromBytes(percentDecode(key, 'query'));
      const text = fromBytes(percentDecode(value, 'query'));
      const known = values.get(name);
      if (known) known.push(text);
      else values.set(name, [text]);
    } catch {
      // Go also skips a malformed pair.
    }
  }
  return values;
}
