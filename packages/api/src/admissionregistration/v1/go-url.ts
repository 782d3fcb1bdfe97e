import { parseIPSloppy, quote } from '@coxswain/apimachinery';

/** The parts of a URL that webhook validation checks, as Go's net/url splits it. */
export interface GoUrl {
  readonly scheme: string;
  /** Includes the port. */
  readonly host: string;
  /** Percent-encoded. Absent without an `@`, and when the user name is empty. */
  readonly user?: string;
  readonly rawQuery: string;
  readonly fragment: string;
}

const escapeInHost = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\uffff]/;
const userinfo = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
const scheme = /^([A-Za-z][A-Za-z0-9+\-.]*):/;
const optionalPort = /^(?::[0-9]*)?$/;

/**
 * Parses a URL by Go's rules, which differ from those of the WHATWG: malformed URLs are not repaired. Throws an Error
 * with Go's message, which upstream shows to users.
 */
export function parseGoUrl(text: string): GoUrl {
  const [beforeFragment, fragment] = cut(text, '#');
  const url = failingWith(beforeFragment, () => parseWithoutFragment(beforeFragment));
  return { ...url, fragment: failingWith(text, () => percentDecode(fragment, 'path')) };
}

function failingWith<T>(url: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new Error(`parse ${quote(url)}: ${(error as Error).message}`, { cause: error });
  }
}

function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

function parseWithoutFragment(text: string): Omit<GoUrl, 'fragment'> {
  if ([...text].some((character) => character < ' ' || character === '\x7f'))
    throw new Error('net/url: invalid control character in URL');
  if (text.startsWith(':')) throw new Error('missing protocol scheme');
  const protocol = scheme.exec(text)?.[1] ?? '';
  const [rest, rawQuery] = cut(protocol ? text.slice(protocol.length + 1) : text, '?');
  const parts = { scheme: protocol.toLowerCase(), host: '', rawQuery };
  if (!rest.startsWith('/')) {
    if (protocol) return parts;
    if (cut(rest, '/')[0].includes(':')) throw new Error('first path segment in URL cannot contain colon');
  }
  const hasAuthority = rest.startsWith('//') && (protocol !== '' || !rest.startsWith('///'));
  const pathStart = hasAuthority ? rest.indexOf('/', 2) : 0;
  const authority = hasAuthority
    ? parseAuthority(parts.scheme, rest.slice(2, pathStart < 0 ? undefined : pathStart))
    : {};
  percentDecode(pathStart < 0 ? '' : rest.slice(pathStart), 'path');
  return { ...parts, ...authority };
}

function parseAuthority(protocol: string, authority: string): Pick<GoUrl, 'host' | 'user'> {
  const at = authority.lastIndexOf('@');
  const host = parseHost(protocol, authority.slice(at + 1));
  if (at < 0) return { host };
  const user = authority.slice(0, at);
  if (!userinfo.test(user)) throw new Error('net/url: invalid userinfo');
  const [name, password] = cut(user, ':').map((part) => encodeURIComponent(percentDecode(part, 'path')));
  return { host, user: user.includes(':') ? `${name}:${password}` : name! };
}

function parseHost(protocol: string, host: string): string {
  const bracket = host.lastIndexOf('[');
  if (bracket > 0) throw new Error('invalid IP-literal');
  if (bracket === 0) return parseIPLiteral(host);
  const colon = protocol === 'http' || protocol === 'https' ? host.indexOf(':') : host.lastIndexOf(':');
  if (colon >= 0) checkPort(host.slice(colon));
  return percentDecode(host, 'host');
}

function parseIPLiteral(host: string): string {
  const end = host.lastIndexOf(']');
  if (end < 0) throw new Error("missing ']' in host");
  checkPort(host.slice(end + 1));
  const address = percentDecode(host.slice(1, end), 'host');
  const [withoutZone] = cut(address, '%');
  if (!parseIPSloppy(withoutZone)) throw new Error(`invalid host: ParseAddr(${quote(address)}): unable to parse IP`);
  if (!withoutZone.includes(':')) throw new Error('invalid IP-literal');
  return host;
}

function checkPort(port: string): void {
  if (!optionalPort.test(port)) throw new Error(`invalid port ${quote(port)} after host`);
}

/** Percent-decodes. In a host, only non-ASCII bytes and `%25` may be percent-encoded. */
function percentDecode(text: string, part: 'path' | 'host'): string {
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '%') {
      const encoded = text.slice(i, i + 3);
      const isEscape = /^%[0-9a-fA-F]{2}$/.test(encoded);
      if (!isEscape || (part === 'host' && /^%[0-7]/.test(encoded) && encoded !== '%25')) {
        throw new Error(`invalid URL escape ${quote(encoded)}`);
      }
      i += 2;
    } else if (part === 'host' && escapeInHost.test(text[i]!)) {
      throw new Error(`invalid character ${quote(text[i]!)} in host name`);
    }
  }
  if (!text.includes('%')) return text;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [piece] of text.matchAll(/%[0-9a-fA-F]{2}|[^%]+/g)) {
    if (piece.startsWith('%')) bytes.push(Number.parseInt(piece.slice(1), 16));
    else bytes.push(...encoder.encode(piece));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
