import { writeJson } from '@coxswain/apimachinery/codec/json';
import type { GroupResource } from '@coxswain/apimachinery/meta';
import type { TransportResponse } from '../transport/transport.ts';
import type { CallOptions } from './call-options.ts';

/** A request to send. */
export interface RestRequest extends CallOptions {
  /** Uppercase. */
  readonly method: string;
  /** Percent-encoded, without query. */
  readonly path: string;
  /** Strings, numbers, booleans; list items are repeated parameters, undefined values are omitted. */
  readonly query?: object | undefined;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Sent as JSON. Bytes and text, such as YAML, are sent as they are; set their `content-type`. */
  readonly body?: unknown;
  /** Maximum number of retries, instead of the client's. */
  readonly maxRetries?: number | undefined;
  /** The requested resource, for error messages. */
  readonly resource?: GroupResource | undefined;
  readonly name?: string | undefined;
}

/** A response with an undecoded body. */
export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: TransportResponse['headers'];
  readonly bytes: Uint8Array;
}

/** A request to open a WebSocket. */
export interface WebSocketRestRequest extends Omit<RestRequest, 'method' | 'body' | 'maxRetries'> {
  /** Offered subprotocols in order of preference. */
  readonly protocols: readonly string[];
}

/** The query string with its question mark; '' without parameters. */
export function queryString(query: RestRequest['query'], timeoutMs?: number): string {
  const entries = query ? Object.entries(query) : [];
  if (entries.length === 0 && timeoutMs === undefined) return '';
  const search = new URLSearchParams();
  for (const [name, value] of entries) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  if (timeoutMs !== undefined && !search.has('timeout')) search.append('timeout', `${timeoutMs / 1000}s`);
  const text = search.toString();
  return text && `?${text}`;
}

const encoder = new TextEncoder();
/**
 * Size of the buffers that short bodies share. A separate allocation for each body would cost more than everything else
 * done with it.
 */
const sharedBytes = 16 * 1024;
const mostBytesOfUnit = 3;
let shared = new Uint8Array(0);
let used = 0;

export function encodeBody(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  const text = typeof body === 'string' ? body : writeJson(body);
  const most = text.length * mostBytesOfUnit;
  if (most > sharedBytes / 4) return encoder.encode(text);
  if (used + most > shared.length) {
    // The old buffer is collected when the last of its bodies has been sent.
    shared = new Uint8Array(sharedBytes);
    used = 0;
  }
  const start = used;
  used += encoder.encodeInto(text, shared.subarray(start)).written;
  return shared.subarray(start, used);
}
