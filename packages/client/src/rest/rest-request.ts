import { writeJson } from '@coxswain/apimachinery/codec/json';
import type { GroupResource } from '@coxswain/apimachinery/meta';
import type { TransportResponse } from '../transport/transport.ts';
import type { CallOptions } from './call-options.ts';

/** One request, before it is sent. */
export interface RestRequest extends CallOptions {
  /** In capitals. */
  readonly method: string;
  /** Percent-encoded, without query. */
  readonly path: string;
  /** Strings, numbers, booleans; lists are repeated, what is undefined is left out. */
  readonly query?: object | undefined;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Sent as JSON; bytes and text, such as YAML, as they are: `content-type` says what they are. */
  readonly body?: unknown;
  /** How often to try again, instead of the client's. */
  readonly maxRetries?: number | undefined;
  /** For messages: what is asked for. */
  readonly resource?: GroupResource | undefined;
  readonly name?: string | undefined;
}

/** An answer before anybody read it. */
export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: TransportResponse['headers'];
  readonly bytes: Uint8Array;
}

/** A request that becomes a WebSocket. */
export interface WebSocketRestRequest extends Omit<RestRequest, 'method' | 'body' | 'maxRetries'> {
  /** Subprotocols offered, the best first. */
  readonly protocols: readonly string[];
}

/** With its question mark; empty without any. */
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
/** Short bodies lie beside each other: memory of its own for each would cost more than all else that is done with it. */
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
    // The old one goes when the last of its bodies has been sent.
    shared = new Uint8Array(sharedBytes);
    used = 0;
  }
  const start = used;
  used += encoder.encodeInto(text, shared.subarray(start)).written;
  return shared.subarray(start, used);
}
