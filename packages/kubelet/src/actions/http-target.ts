import { quote } from '@coxswain/apimachinery';
import { hostPort } from './host-port.ts';

/** Where a request goes. */
export interface HttpTarget {
  readonly scheme: string;
  /** Without the brackets of an IPv6 address. */
  readonly hostname: string;
  readonly port: number;
  /** What the Host header says unless the request has its own. */
  readonly host: string;
  /** The escaped path with its query, as in the first line of a request. */
  readonly requestTarget: string;
  /** The URL, as messages have it. */
  readonly text: string;
}

/**
 * Returns the target of an HTTPGetAction, whose `path` may have a query and a fragment and need not be escaped. A path that can't be
 * parsed is taken as it is, with everything in it escaped. Throws, in Go's words, for a host that is none.
 */
export function httpTarget(scheme: string, hostname: string, port: number, path: string): HttpTarget {
  const host = hostPort(hostname, port);
  const { path: escapedPath, query, fragment } = parse(path);
  const absolute = escapedPath === '' || escapedPath.startsWith('/') ? escapedPath : `/${escapedPath}`;
  const text = `${scheme}://${host}${absolute}${query}${fragment}`;
  const [wrong] = /[\s/?#@\\]|[^\x21-\x7e]/.exec(hostname) ?? [];
  if (wrong !== undefined) throw new Error(`parse ${quote(text)}: invalid character ${quote(wrong)} in host name`);
  return { scheme, hostname, port, host, requestTarget: `${absolute || '/'}${escapeQuery(query)}`, text };
}

/** Returns the target of a Location header. Undefined if it is no URL. */
export function redirectTarget(location: string, from: HttpTarget): HttpTarget | undefined {
  const url = urlOf(location, `${from.scheme}://${from.host}${from.requestTarget}`);
  if (!url) return undefined;
  const scheme = url.protocol.slice(0, -1);
  return {
    scheme,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || (scheme === 'https' ? 443 : 80)),
    host: url.host,
    requestTarget: `${url.pathname}${url.search}`,
    text: url.href,
  };
}

function urlOf(location: string, base: string): URL | undefined {
  try {
    return new URL(location, base);
  } catch {
    return undefined;
  }
}

interface ParsedPath {
  readonly path: string;
  /** With `?`, or empty. */
  readonly query: string;
  /** With `#`, or empty. */
  readonly fragment: string;
}

function parse(path: string): ParsedPath {
  const [, before = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(path) ?? [];
  // Users may write a whole URL; its host is not used.
  const [, rest = ''] = /^(?:(?:[a-z][a-z0-9+.-]*:)?\/\/[^/]*)?(.*)$/is.exec(before) ?? [];
  const decoded = unescapePath(rest);
  if (decoded === undefined || hasControl(path)) {
    return { path: escapePath(Buffer.from(path)), query: '', fragment: '' };
  }
  return { path: isEscaped(rest) ? rest : escapePath(decoded), query, fragment };
}

const hasControl = (text: string): boolean => /\p{Cc}/u.test(text);

/** Whether the path needs no escapes beside those that it has. */
const isEscaped = (path: string): boolean => /^[\w\-.~!$&'()*+,;=:@[\]/%]*$/.test(path);

/** Undefined if there is a `%` without two hexadecimal digits. */
function unescapePath(path: string): Buffer | undefined {
  if (/%(?![0-9a-f]{2})/i.test(path)) return undefined;
  const bytes = Buffer.from(path).toString('latin1');
  return Buffer.from(
    bytes.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}

const escapePath = (bytes: Buffer): string => bytes.toString('latin1').replace(/[^\w\-.~$&+,/:;=@]/g, escapeCharacter);

/** Differs from upstream, which sends blanks and other characters of a query as they are. */
const escapeQuery = (query: string): string =>
  Buffer.from(query)
    .toString('latin1')
    .replace(/[^\x21-\x7e]/g, escapeCharacter);

const escapeCharacter = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
