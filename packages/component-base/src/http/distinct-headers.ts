import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHeaders } from './handler.ts';

/**
 * `distinctHeaders` for HTTP/1.1. Node decodes header bytes as Latin-1; here they are decoded as UTF-8, as in Go, for example for the names
 * of impersonated users.
 */
export function distinctHeadersOfBytes(headers: IncomingHttpHeaders, raw: readonly string[]): RequestHeaders {
  const distinct = distinctHeaders(headers, raw);
  if (!raw.some((text) => /[\x80-\xff]/.test(text))) return distinct;
  const decoded: Record<string, string | readonly string[] | undefined> = Object.create(null);
  for (const [name, value] of Object.entries(distinct)) {
    decoded[name] = typeof value === 'string' ? fromBytes(value) : value?.map(fromBytes);
  }
  return decoded;
}

const fromBytes = (text: string): string => Buffer.from(text, 'latin1').toString();

/**
 * Returns the headers, with a list for each header that was sent several times. Node joins such values with commas, which makes them
 * ambiguous: several groups of an impersonated user would become one. Any header name is possible, `__proto__` too.
 */
export function distinctHeaders(headers: IncomingHttpHeaders, raw: readonly string[]): RequestHeaders {
  let names = 0;
  for (const _ in headers) names++;
  if (raw.length === names * 2) return headers;
  const lists = new Map<string, string[]>();
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    const values = lists.get(name);
    if (values) values.push(raw[i + 1]!);
    else lists.set(name, [raw[i + 1]!]);
  }
  const distinct: Record<string, string | readonly string[] | undefined> = Object.assign(Object.create(null), headers);
  for (const [name, values] of lists) if (values.length > 1) distinct[name] = values;
  return distinct;
}
