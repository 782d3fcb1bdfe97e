import { TransportError, type TransportResponse } from '../transport/transport.ts';

/** How a call uses its answer; what may be tried again depends on it. */
export type CallKind = 'whole' | 'unread' | 'stream' | 'watch';

/** Errors by which a connection just ends, as it may at any time. */
const connectionEnds = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const timeouts = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']);
const afterErrorMs = 1000;

/** The seconds of a `Retry-After` header; dates, which API servers do not send, are none. */
export function retryAfterSeconds({ headers }: Pick<TransportResponse, 'headers'>): number | undefined {
  const value = String(headers['retry-after'] ?? '').trim();
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

/** How long to wait before asking again after this answer; undefined: it is final. */
export function retryDelayMs(response: TransportResponse): number | undefined {
  if (response.status !== 429 && response.status < 500) return undefined;
  const seconds = retryAfterSeconds(response);
  return seconds === undefined ? undefined : seconds * 1000;
}

/**
 * How long to wait before trying again when there is no answer; undefined: not at all. client-go's rules: reads again when
 * the connection ended, watches when it timed out as well; never streams and writes, whatever may have become of them.
 */
export function retryDelayAfterErrorMs(error: unknown, method: string, kind: CallKind): number | undefined {
  if (!(error instanceof TransportError) || method !== 'GET' || kind === 'stream') return undefined;
  const code = error.code ?? '';
  return connectionEnds.has(code) || (kind === 'watch' && timeouts.has(code)) ? afterErrorMs : undefined;
}
