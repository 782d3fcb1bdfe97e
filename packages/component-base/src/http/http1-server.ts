import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiHandler, Connection } from './handler.ts';
import { serveHttp1, serveUpgrade } from './http1.ts';
import { Slices } from './slices.ts';

export interface Http1ServerOptions {
  readonly handler: ApiHandler;
  readonly connectionOf: (socket: Duplex) => Connection;
  readonly maxHeaderBytes: number;
  /** Limit on the time for the head of a request, from its first byte or from the start of the connection. */
  readonly headTimeoutMs: number;
  /** Limit on the time between two requests. */
  readonly idleTimeoutMs: number;
}

/**
 * Creates an HTTP/1.1 server for connections that are handed to it by `emit('connection', socket)`. The requests of a
 * connection are handled one after the other, also when the client pipelines them.
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
    // No limit on the time for a whole request: the request deadline covers that, and uploads through proxies may take
    // hours.
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
    // Each further chunk raises the error again.
    if (refused.has(socket)) return;
    refused.add(socket);
    const last = lastRequests.get(socket);
    // The error is either in the body of the last request or in the request after it.
    const isInBody = last !== undefined && !last.message.complete;
    if (isSilence(error) || !socket.writable || (isInBody && last.answer.headersSent)) closing.add(socket);
    else afterwards(isInBody ? last.before : last?.answer, socket, () => refuse(error, socket));
  });
  // Closed in slices, because many connections may become idle at the same time.
  server.on('timeout', (socket) => closing.add(socket));
  return server;
}

interface LastRequest {
  readonly message: IncomingMessage;
  readonly answer: ServerResponse;
  /** The response to the request before this one. */
  readonly before: ServerResponse | undefined;
}

/** Calls `run` when the response has been sent; not when the connection closes before that. */
function afterwards(answer: ServerResponse | undefined, socket: Duplex, run: () => void): void {
  if (!answer || answer.closed) run();
  else
    answer.once('close', () => {
      if (!socket.destroyed) run();
    });
}

/**
 * Makes Node's parser read through the socket's buffer. By default it takes bytes from the TLS layer directly, and it
 * is paused while a response waits for the client. The TLS layer does not know that it is paused and still delivers the
 * rest of what it has decrypted, which a paused parser refuses with an error (`HPE_PAUSED`, a `400` for the client). A
 * listener for `data` makes Node use the socket's buffer, which keeps these bytes.
 */
function readInFull(socket: Duplex): void {
  socket.on('data', ignore);
  socket.off('data', ignore);
}

function ignore(): void {}

/** Errors without a response, as in Go's server: the client has disconnected, or has sent no complete head in time. */
const isSilence = ({ code }: Error & { code?: string }): boolean =>
  code === 'ECONNRESET' || code === 'ERR_HTTP_REQUEST_TIMEOUT';

const lingerMs = 10_000;

/** Answers a request that is not valid HTTP as Go's server does. */
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
