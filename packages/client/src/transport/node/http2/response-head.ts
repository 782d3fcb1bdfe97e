import type { TransportResponse } from '../../transport.ts';
import type { HeaderField } from './hpack-static-table.ts';
import { Http2Error } from './http2-error.ts';

export type ResponseHead = Pick<TransportResponse, 'status' | 'headers'>;

/** Connection-specific headers, which are not allowed in HTTP/2. */
export const headersOfConnections: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Returns the head of a response. Throws an `Http2Error` when the fields do not begin with exactly one valid status, or
 * contain other pseudo-headers or connection-specific headers.
 */
export function responseHead(fields: readonly HeaderField[]): ResponseHead {
  const [first] = fields;
  if (first?.name !== ':status' || !/^[1-9]\d\d$/.test(first.value) || first.value === '101') {
    throw new Http2Error('a response without a valid status');
  }
  // Names come from the server, so the object has no prototype.
  const headers: Record<string, string | string[]> = Object.create(null);
  for (let i = 1; i < fields.length; i++) {
    const { name, value } = fields[i]!;
    checkOrdinary(name);
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (typeof before === 'string') headers[name] = [before, value];
    else before.push(value);
  }
  return { status: Number(first.value), headers };
}

/** Throws an `Http2Error` for fields that are not allowed as trailers. */
export function checkTrailers(fields: readonly HeaderField[]): void {
  for (const { name } of fields) checkOrdinary(name);
}

function checkOrdinary(name: string): void {
  if (name.charCodeAt(0) === 0x3a || headersOfConnections.has(name)) {
    throw new Http2Error('a header that is not allowed');
  }
}
