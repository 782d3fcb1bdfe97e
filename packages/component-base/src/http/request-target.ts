/** What a request's first line, or its pseudo-header, says is asked for. */
export interface RequestTarget {
  /** Still percent-encoded. */
  readonly path: string;
  /** What follows the question mark. */
  readonly search: string;
}

/**
 * Reads it as Go does: a path, or a whole URL as proxies send it, of which the path counts. Undefined for anything else
 * that begins with no slash.
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
 * The parameters of a query. Those that are not well encoded are left out, as are those with a semicolon, which some
 * take for a separator: nobody in front of the server and nobody in it may read different things from one query.
 */
export function readQuery(search: string): URLSearchParams {
  if (!strange.test(search)) return new URLSearchParams(search);
  const good = search.split('&').filter((pair) => !pair.includes(';') && !badEscape.test(pair));
  // In front, a question mark would be taken for the one before the query.
  return new URLSearchParams(`&${good.join('&')}`);
}
