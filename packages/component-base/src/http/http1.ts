import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex, Writable } from 'node:stream';
import { bodyTooLarge, readAll } from './body.ts';
import { distinctHeadersOfBytes } from './distinct-headers.ts';
import {
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  type Connection,
  lengthOf,
  type RequestHeaders,
} from './handler.ts';
import { type RequestTarget, readRequestTarget } from './request-target.ts';
import { textResponse } from './respond.ts';
import { StreamSink } from './stream-sink.ts';
import { switchingProtocols } from './tunnel.ts';
import { WebSocketSink } from './websocket-sink.ts';
import { sendWhole } from './whole-answer.ts';

/** Serves one request of an HTTP/1.1 connection. */
export function serveHttp1(
  message: IncomingMessage,
  response: ServerResponse,
  connection: Connection,
  handler: ApiHandler,
): void {
  const request = Http1Request.of(message, connection, response);
  if (!request) {
    // As in Go's server: `OPTIONS *` is answered with 200, an invalid request target with 400.
    respond(message, response, isForServer(message) ? { status: 200, headers: {} } : textResponse(400, badRequest));
    return;
  }
  handler(request)
    .then((answer) => respond(message, response, answer))
    .catch(() => response.destroy());
}

const badRequest = '400 Bad Request';
const isForServer = ({ method, url }: IncomingMessage): boolean => method === 'OPTIONS' && url === '*';

/**
 * Serves a request to upgrade the connection. Unless the handler answers with status 101, the client gets an ordinary
 * response and the connection is closed.
 */
export function serveUpgrade(
  message: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  connection: Connection,
  handler: ApiHandler,
): void {
  socket.on('error', () => socket.destroy());
  const request = Http1Request.of(message, connection, socket);
  const answered = request ? handler(request) : Promise.resolve(textResponse(400, badRequest));
  answered
    .then((answer) => {
      const { body } = answer;
      if (body && 'upgrade' in body) {
        body.upgrade(socket, head);
        return;
      }
      if (answer.status === 101 && body && 'stream' in body) {
        socket.write(switchingProtocols(answer.headers), 'latin1');
        body.stream(new WebSocketSink(socket, head));
        return;
      }
      const response = new ServerResponse(message);
      response.shouldKeepAlive = false;
      response.assignSocket(message.socket);
      response.on('finish', () => socket.end());
      // Node forwards `drain` only for connections that its server still manages.
      socket.on('drain', () => response.emit('drain'));
      respond(message, response, answer);
    })
    .catch(() => socket.destroy());
}

function respond(message: IncomingMessage, response: ServerResponse, { status, headers, body }: ApiResponse): void {
  if (response.destroyed) return;
  response.statusCode = status;
  for (const name in headers) {
    const value = headers[name]!;
    response.setHeader(name, typeof value === 'string' ? value : [...value]);
  }
  // The unread rest of the body would be parsed as the next request, and may never end.
  if (!message.complete) response.setHeader('connection', 'close');
  const length = lengthOf(body);
  if (length !== undefined) response.setHeader('content-length', length);
  if (body === undefined || message.method === 'HEAD') {
    end(message, response);
  } else if (body instanceof Uint8Array) {
    sendWhole(response, [body], () => end(message, response));
  } else if ('stream' in body) {
    response.flushHeaders();
    body.stream(new StreamSink(response, () => response.destroy()));
  } else if ('upgrade' in body) {
    response.statusCode = 400;
    response.end();
  } else {
    sendWhole(response, body, () => end(message, response));
  }
}

/** How long a client may keep sending an unread body after the response. */
const lingerMs = 500;

/**
 * Ends the response. While the client is still sending its body, closing the connection would reset it, and the client
 * could lose the response. So the rest of the body is read and dropped for a moment, as in Go's server.
 */
function end(message: IncomingMessage, response: ServerResponse): void {
  if (message.complete || message.method === 'HEAD') {
    response.end();
    return;
  }
  response.flushHeaders();
  const finish = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(finish, lingerMs);
  response.once('close', () => clearTimeout(timer));
  message.once('end', finish);
  message.resume();
}

class Http1Request implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: RequestHeaders;
  readonly connection: Connection;
  readonly #message: IncomingMessage;
  readonly #answer: Writable;
  #controller: AbortController | undefined;

  /** `answer` is the stream of the response. When it closes early, the request's signal is aborted. */
  private constructor(message: IncomingMessage, target: RequestTarget, connection: Connection, answer: Writable) {
    this.#message = message;
    this.#answer = answer;
    this.connection = connection;
    this.headers = distinctHeadersOfBytes(message.headers, message.rawHeaders);
    this.method = message.method ?? 'GET';
    this.path = target.path;
    this.search = target.search;
  }

  /** Undefined when the request target is invalid. */
  static of(message: IncomingMessage, connection: Connection, answer: Writable): Http1Request | undefined {
    const target = readRequestTarget(message.url ?? '/');
    return target && new Http1Request(message, target, connection, answer);
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      const controller = new AbortController();
      this.#controller = controller;
      const answer = this.#answer;
      if (answer.destroyed) controller.abort();
      else answer.once('close', () => controller.abort());
    }
    return this.#controller.signal;
  }

  async readBody(maxBytes: number): Promise<Uint8Array> {
    if (Number(this.headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
    return readAll(this.#message, maxBytes);
  }

  streamBody(): AsyncIterable<Uint8Array> {
    return this.#message;
  }
}
