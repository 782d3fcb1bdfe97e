/** The parsed request target of HTTP/1.1, or `:path` of HTTP/2. */
export interface RequestTarget {
  /** Percent-encoded. */
  readonly path: string;
  /** The query without the question mark. */
  readonly search: string;
}

/**
 * Parses a request target as Go does: a path, or an absolute URL as proxies send it, of which only path and query are
 * used. Undefined for anything else that does not begin with a slash.
 */
export function readRequestTarget(target: string): RequestTarget | undefined {
  if (target.charCodeAt(0) === slash) return split(target);
  const [whole = ''] = /^https?:\/\/[^/?#]*/i.exec(target) ?? [];
  if (whole === '') return undefined;
  const rest = target.slice(whole.length);
  return rest.charCodeAt(0) === slash ? split(rest) : split(`/${rest}`);
}

const slash = 0x2f;

function split(target: string): RequestTarget {
  const mark = target.indexOf('?');
  if (mark === -1) return { path: target, search: '' };
  return { path: target.slice(0, mark), search: target.slice(mark + 1) };
}

const strange = /^\?|[;%]/;
const badEscape = /%(?![0-9a-fA-F]{2})/;

/**
 * Parses a query as Go does: parameters that are not well encoded or contain a semicolon are dropped. Some parsers take
 * a semicolon as a separator; a proxy and the server must not read one query differently.
 */
export function readQuery(search: string): URLSearchParams {
  if (!strange.test(search)) return new URLSearchParams(search);
  const good = search.split('&').filter((pair) => !pair.includes(';') && !badEscape.test(pair));
  // The leading `&` keeps URLSearchParams from stripping a question mark at the beginning.
  return new URLSearchParams(`&${good.join('&')}`);
}
