import type { TransportResponse } from '../../transport.ts';
import type { HeaderField } from './hpack-static-table.ts';
import { Http2Error } from './http2-error.ts';

export type ResponseHead = Pick<TransportResponse, 'status' | 'headers'>;

/** They belong to a connection, which here carries several requests. */
export const headersOfConnections: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The head of an answer. Throws an `Http2Error` when its fields are none: without one status before all others, with
 * other fields that begin with a colon, or with those of a connection.
 */
export function responseHead(fields: readonly HeaderField[]): ResponseHead {
  const [first] = fields;
  if (first?.name !== ':status' || !/^[1-9]\d\d$/.test(first.value) || first.value === '101') {
    throw new Http2Error('an answer without a status');
  }
  // Names come from outside: nothing may reach a prototype.
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

/** Throws an `Http2Error` when these cannot come after a body. */
export function checkTrailers(fields: readonly HeaderField[]): void {
  for (const { name } of fields) checkOrdinary(name);
}

function checkOrdinary(name: string): void {
  if (name.charCodeAt(0) === 0x3a || headersOfConnections.has(name)) {
    throw new Http2Error('a header where it cannot be');
  }
}
