import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import { WebSocket } from 'ws';
import { bodyOf, joinChunks } from '../../response-body.ts';
import { TransportError, UpgradeRefusedError, type WebSocketConnection } from '../../transport.ts';
import { readableAfterFailedWrites } from './readable-after-failed-writes.ts';
import { NodeWebSocketConnection } from './web-socket-connection.ts';

/** The parameters of a WebSocket. */
export interface WebSocketTarget {
  /** Host, path and query of the handshake. The scheme is ignored, because the connection is given. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Offered subprotocols in order of preference. */
  readonly protocols: readonly string[];
  /** Opens the connection to the server, including TLS. Closed with the WebSocket. */
  readonly createConnection: () => Duplex | Promise<Duplex>;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/** Maximum part that is read of the body of a rejection. */
const maxRefusalBytes = 64 * 1024;

/** Maximum size of a message; a longer one breaks the connection. Servers send a few tens of kilobytes at a time. */
const maxPayload = 16 * 1024 * 1024;

/**
 * Opens a WebSocket over a connection. Rejects with an `UpgradeRefusedError` when the server does not upgrade, with the
 * signal's reason on abort, otherwise with a `TransportError`. Aborting later breaks the connection.
 */
export async function openWebSocket(target: WebSocketTarget): Promise<WebSocketConnection> {
  const { url, headers, protocols, createConnection, signal, clock = systemClock } = target;
  signal?.throwIfAborted();
  const connection = await createConnection();
  if (signal?.aborted) {
    connection.destroy();
    throw signal.reason;
  }
  const socket = new WebSocket(`ws://${url.host}${url.pathname}${url.search}`, {
    headers: {
      ...flat(headers),
      host: url.host,
      // Not passed as the `ws` parameter, which rejects names with a slash, such as `SPDY/3.1+portforward.k8s.io`.
      ...(protocols.length > 0 && { 'Sec-WebSocket-Protocol': protocols.join(', ') }),
    },
    createConnection: () => readableAfterFailedWrites(connection),
    perMessageDeflate: false,
    skipUTF8Validation: true,
    followRedirects: false,
    maxPayload,
  });
  return handshake(socket, protocols, signal, clock);
}

function handshake(
  socket: WebSocket,
  protocols: readonly string[],
  signal: AbortSignal | undefined,
  clock: Clock,
): Promise<WebSocketConnection> {
  return new Promise((resolve, reject) => {
    let protocol = '';
    // Kept until the WebSocket is open, because `ws` also emits an error after termination.
    const onError = (error: Error): void => fail(toTransportError(error));
    socket.on('error', onError);
    socket.on('upgrade', (response) => {
      protocol = response.headers['sec-websocket-protocol'] ?? '';
      // `ws` does not know that subprotocols were offered.
      delete response.headers['sec-websocket-protocol'];
      if (protocol !== '' && !protocols.includes(protocol)) {
        fail(new TransportError(`the server chose a subprotocol that was not offered: ${protocol}`));
      }
    });
    socket.on('unexpected-response', (_, response) => {
      readRefusal(response).then(
        (error) => fail(error),
        (error) => fail(toTransportError(error)),
      );
    });
    socket.on('open', () => {
      const opened = new NodeWebSocketConnection(socket, protocol, clock, signal);
      socket.off('error', onError);
      signal?.removeEventListener('abort', abort);
      resolve(opened);
    });
    const fail = (error: unknown): void => {
      signal?.removeEventListener('abort', abort);
      reject(error);
      socket.terminate();
    };
    const abort = (): void => fail(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

async function readRefusal(response: IncomingMessage): Promise<UpgradeRefusedError> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= maxRefusalBytes) break;
  }
  const body = bodyOf(joinChunks(chunks).subarray(0, maxRefusalBytes));
  return new UpgradeRefusedError({ status: response.statusCode ?? 0, headers: response.headers, body });
}

function toTransportError(cause: unknown): TransportError {
  const message = messageOf(cause);
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  return new TransportError(`opening a WebSocket: ${message}`, { cause, ...(code && { code }) });
}

const flat = (headers: WebSocketTarget['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : value.join(', ')]),
  );
