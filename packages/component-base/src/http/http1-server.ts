import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiHandler, Connection } from './handler.ts';
import { serveHttp1, serveUpgrade } from './http1.ts';
import { Slices } from './slices.ts';

export interface Http1ServerOptions {
  readonly handler: ApiHandler;
  readonly connectionOf: (socket: Duplex) => Connection;
  readonly maxHeaderBytes: number;
  /** For the head of a request, from its first byte on or from the beginning of the connection. */
  readonly headTimeoutMs: number;
  /** Between two requests. */
  readonly idleTimeoutMs: number;
}

/**
 * Serves the connections that it is handed (`emit('connection', socket)`), over HTTP/1.1. The requests of a connection
 * are answered one after the other, also when the client sends several at once.
 */
export function createHttp1Server(options: Http1ServerOptions): Server {
  const { handler, connectionOf } = options;
  const lastRequests = new WeakMap<Duplex, LastRequest>();
  const refused = new WeakSet<Duplex>();
  const closing = new Slices<Duplex>((socket) => socket.destroy());
  const server = createServer({
    maxHeaderSize: options.maxHeaderBytes,
    headersTimeout: options.headTimeoutMs,
    keepAliveTimeout: options.idleTimeoutMs,
    connectionsCheckingInterval: Math.ceil(options.headTimeoutMs / 16),
    // What takes long to arrive is the deadline's affair: proxies may upload for hours.
    requestTimeout: 0,
  });
  server.on('connection', readInFull);
  server.on('request', (message, answer) => {
    const { socket } = message;
    const before = lastRequests.get(socket)?.answer;
    lastRequests.set(socket, { message, answer, before });
    afterwards(before, socket, () => serveHttp1(message, answer, connectionOf(socket), handler));
  });
  server.on('upgrade', (message, socket, head) =>
    afterwards(lastRequests.get(socket)?.answer, socket, () =>
      serveUpgrade(message, socket, head, connectionOf(socket), handler),
    ),
  );
  server.on('clientError', (error, socket) => {
    // Each further chunk is an error again.
    if (refused.has(socket)) return;
    refused.add(socket);
    const last = lastRequests.get(socket);
    // The error is in the body of the last request, or in the one that was to follow.
    const isInBody = last !== undefined && !last.message.complete;
    if (isSilence(error) || !socket.writable || (isInBody && last.answer.headersSent)) closing.add(socket);
    else afterwards(isInBody ? last.before : last?.answer, socket, () => refuse(error, socket));
  });
  // Many connections may have become idle at the same time.
  server.on('timeout', (socket) => closing.add(socket));
  return server;
}

interface LastRequest {
  readonly message: IncomingMessage;
  readonly answer: ServerResponse;
  /** Of the request before. */
  readonly before: ServerResponse | undefined;
}

/** Runs when the answer has been sent; not when the connection is closed before. */
function afterwards(answer: ServerResponse | undefined, socket: Duplex, run: () => void): void {
  if (!answer || answer.closed) run();
  else
    answer.once('close', () => {
      if (!socket.destroyed) run();
    });
}

/**
 * By default Node's parser takes the bytes of a connection from the TLS layer directly. It is paused while an answer
 * waits for the client. The TLS layer does not know that: the rest of what it has decrypted still comes, and a paused
 * parser refuses it as an error (`HPE_PAUSED`, a `400` for the client). With a listener for `data` the bytes go through
 * the socket's buffer, which keeps them.
 */
function readInFull(socket: Duplex): void {
  socket.on('data', ignore);
  socket.off('data', ignore);
}

function ignore(): void {}

/** Nobody is there to be told, as Go's server has it. */
const isSilence = ({ code }: Error & { code?: string }): boolean =>
  code === 'ECONNRESET' || code === 'ERR_HTTP_REQUEST_TIMEOUT';

const lingerMs = 10_000;

/** Tells a client that does not speak HTTP what Go's server would. */
function refuse(error: Error & { code?: string }, socket: Duplex): void {
  const [status, reason] = refusals[error.code ?? ''] ?? [400, 'Bad Request'];
  const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n`;
  const linger = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(linger));
  socket.end(`${head}${status} ${reason}`, () => socket.destroy());
}

const refusals: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Payload Too Large'],
};
