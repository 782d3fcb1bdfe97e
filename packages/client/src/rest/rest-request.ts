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

export function encodeBody(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return encoder.encode(typeof body === 'string' ? body : JSON.stringify(body));
}
