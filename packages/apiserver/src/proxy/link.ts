import { posix } from 'node:path';
import { quote } from '@coxswain/apimachinery';

/** A link in an answer of a proxied server: as much of Go's `net/url` as it takes to put a prefix before its path. */
interface Link {
  /** `scheme:`, or empty. */
  readonly scheme: string;
  readonly hasAuthority: boolean;
  readonly authority: string;
  /** Percent-encoded. */
  readonly path: string;
  /** With its question mark, the fragment after it. */
  readonly rest: string;
}

/** Where the pages of a proxied server are, for the server and for the client. */
export interface LinkOrigin {
  /** Of the server, with its port. */
  readonly serverHost: string;
  /** The Host header of the client's request. */
  readonly requestHost: string;
  /** The path at the API server that stands for the root of the proxied one, without a slash at its end. */
  readonly prefix: string;
}

/**
 * A link in a form that leads through the API server: an absolute path, or the URL of the proxied server itself, gets
 * the prefix; all other links stay as they are. Throws an Error worded as Go words it for what is no link.
 */
export function rewriteLink(text: string, { serverHost, requestHost, prefix }: LinkOrigin): string {
  const { scheme, hasAuthority, authority, path, rest } = parse(text);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const isElsewhere = hasAuthority ? host !== '' && host !== serverHost && host !== requestHost : scheme !== '';
  if (isElsewhere || !path.startsWith('/')) return text;
  const decoded = decode(path, text);
  const origin = host !== '' && host === requestHost ? `${scheme}//${authority}` : '';
  if (decoded.startsWith(prefix)) return `${origin}${path}${rest}`;
  // Differs from upstream: a link never climbs above the root of its server.
  return `${origin}${encodePath(posix.join(prefix, posix.join('/', decoded)))}${rest}`;
}

/** As Go writes a path that came decoded. */
export const encodePath = (path: string): string =>
  encodeURI(path).replace(/[!'()*?#]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

function parse(text: string): Link {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
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
