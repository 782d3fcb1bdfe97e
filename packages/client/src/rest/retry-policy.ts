import { TransportError, type TransportResponse } from '../transport/transport.ts';

/** How a call uses the response; determines which failures are retried. */
export type CallKind = 'whole' | 'unread' | 'stream' | 'watch';

/** Error codes of broken connections. */
const connectionEnds = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const timeouts = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']);
const afterErrorMs = 1000;

/** The seconds of a `Retry-After` header; undefined for dates, which API servers do not send. */
export function retryAfterSeconds({ headers }: Pick<TransportResponse, 'headers'>): number | undefined {
  const value = String(headers['retry-after'] ?? '').trim();
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

/** The delay before retrying after this response; undefined when it is final. */
export function retryDelayMs(response: TransportResponse): number | undefined {
  if (response.status !== 429 && response.status < 500) return undefined;
  const seconds = retryAfterSeconds(response);
  return seconds === undefined ? undefined : seconds * 1000;
}

/**
 * The delay before retrying without a response; undefined for no retry. client-go's rules: reads are retried when the
 * connection broke, watches also after a timeout; streams and writes never, because the server may have processed them.
 */
export function retryDelayAfterErrorMs(error: unknown, method: string, kind: CallKind): number | undefined {
  if (!(error instanceof TransportError) || method !== 'GET' || kind === 'stream') return undefined;
  const code = error.code ?? '';
  return connectionEnds.has(code) || (kind === 'watch' && timeouts.has(code)) ? afterErrorMs : undefined;
}
