import { posix } from 'node:path';
import { quote } from '@coxswain/apimachinery';

/** A parsed link: the part of Go's `net/url` that is needed to prefix its path. */
interface Link {
  /** `scheme:`, or empty. */
  readonly scheme: string;
  readonly hasAuthority: boolean;
  readonly authority: string;
  /** Percent-encoded path. */
  readonly path: string;
  /** The query with its question mark, and the fragment. */
  readonly rest: string;
}

/** The location of a proxied server, for rewriting its links. */
export interface LinkOrigin {
  /** Host and port of the proxied server. */
  readonly serverHost: string;
  /** The Host header of the client's request. */
  readonly requestHost: string;
  /** The path at the API server for the root of the proxied server, without a trailing slash. */
  readonly prefix: string;
}

/**
 * Rewrites a link so that it leads through the API server. Absolute paths and URLs of the proxied server itself get the prefix; other
 * links stay unchanged. Throws an Error with Go's message when the text is not a valid URL.
 */
export function rewriteLink(text: string, { serverHost, requestHost, prefix }: LinkOrigin): string {
  const { scheme, hasAuthority, authority, path, rest } = parse(text);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const isElsewhere = hasAuthority ? host !== '' && host !== serverHost && host !== requestHost : scheme !== '';
  if (isElsewhere || !path.startsWith('/')) return text;
  const decoded = decode(path, text);
  const origin = host !== '' && host === requestHost ? `${scheme}//${authority}` : '';
  if (decoded.startsWith(prefix)) return `${origin}${path}${rest}`;
  // Differs from upstream: `..` in a link never leads above the root of the proxied server.
  return `${origin}${encodePath(posix.join(prefix, posix.join('/', decoded)))}${rest}`;
}

/** Percent-encodes a path as Go does. */
export const encodePath = (path: string): string =>
  encodeURI(path).replace(/[!'()*?#]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

function parse(text: string): Link {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for control characters
  if (/[\x00-\x1f\x7f]/.test(text)) throw unparsable(text, 'net/url: invalid control character in URL');
  if (text.startsWith(':')) throw unparsable(text, 'missing protocol scheme');
  const [scheme] = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?/.exec(text) ?? [''];
  const [hierarchy] = /^[^?#]*/.exec(text.slice(scheme.length)) ?? [''];
  const hasAuthority = hierarchy.startsWith('//');
  const [authority] = (hasAuthority && /^[^/]*/.exec(hierarchy.slice(2))) || [''];
  const path = hasAuthority ? hierarchy.slice(2 + authority.length) : hierarchy;
  if (scheme === '' && !hasAuthority && /^[^/]*:/.test(path))
    throw unparsable(text, 'first path segment in URL cannot contain colon');
  return { scheme, hasAuthority, authority, path, rest: text.slice(scheme.length + hierarchy.length) };
}

function decode(path: string, text: string): string {
  const bad = /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(path);
  if (bad) throw unparsable(text, `invalid URL escape ${quote(bad[0])}`);
  return path.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
}

const unparsable = (text: string, why: string): Error => new Error(`parse ${quote(text)}: ${why}`);
