import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex, Writable } from 'node:stream';
import { bodyTooLarge, readAll } from './body.ts';
import { distinctHeaders } from './distinct-headers.ts';
import type { ApiHandler, ApiRequest, ApiResponse, Connection, RequestHeaders } from './handler.ts';
import { StreamSink } from './stream-sink.ts';

/** Answers one request of an HTTP/1.1 connection. */
export function serveHttp1(
  message: IncomingMessage,
  response: ServerResponse,
  connection: Connection,
  handler: ApiHandler,
): void {
  const request = new Http1Request(message, connection, response);
  handler(request).then(
    (answer) => respond(request, response, answer),
    () => response.destroy(),
  );
}

/** The same for one that wants the connection for itself. Whoever gets no 101 gets an ordinary answer, and the end. */
export function serveUpgrade(
  message: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  connection: Connection,
  handler: ApiHandler,
): void {
  socket.on('error', () => socket.destroy());
  const request = new Http1Request(message, connection, socket);
  handler(request).then(
    (answer) => {
      if (answer.body && 'upgrade' in answer.body) {
        answer.body.upgrade(socket, head);
        return;
      }
      const response = new ServerResponse(message);
      response.shouldKeepAlive = false;
      response.assignSocket(message.socket);
      response.on('finish', () => socket.end());
      respond(request, response, answer);
    },
    () => socket.destroy(),
  );
}

function respond(request: Http1Request, response: ServerResponse, { status, headers, body }: ApiResponse): void {
  if (response.destroyed) return;
  response.statusCode = status;
  for (const name in headers) {
    const value = headers[name]!;
    response.setHeader(name, typeof value === 'string' ? value : [...value]);
  }
  // An unread body would be taken for the next request.
  if (request.unread) response.setHeader('connection', 'close');
  if (body === undefined || request.method === 'HEAD') {
    response.end();
  } else if (body instanceof Uint8Array) {
    response.setHeader('content-length', body.length);
    response.end(body);
  } else if ('stream' in body) {
    response.flushHeaders();
    body.stream(new StreamSink(response, () => response.destroy()));
  } else if ('upgrade' in body) {
    response.statusCode = 400;
    response.end();
  } else {
    response.setHeader(
      'content-length',
      body.reduce((sum, { length }) => sum + length, 0),
    );
    for (const chunk of body) response.write(chunk);
    response.end();
  }
}

class Http1Request implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: RequestHeaders;
  readonly connection: Connection;
  readonly #message: IncomingMessage;
  readonly #answer: Writable;
  #read = false;
  #controller: AbortController | undefined;

  /** `answer` is what the client waits for: when it closes early, nobody does any more. */
  constructor(message: IncomingMessage, connection: Connection, answer: Writable) {
    this.#message = message;
    this.#answer = answer;
    this.connection = connection;
    this.headers = distinctHeaders(message.headers, message.rawHeaders);
    this.method = message.method ?? 'GET';
    const url = message.url ?? '/';
    const mark = url.indexOf('?');
    this.path = mark === -1 ? url : url.slice(0, mark);
    this.search = mark === -1 ? '' : url.slice(mark + 1);
  }

  get unread(): boolean {
    return !this.#read && !this.#message.complete;
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
    this.#read = true;
    return readAll(this.#message, maxBytes);
  }

  streamBody(): AsyncIterable<Uint8Array> {
    this.#read = true;
    return this.#message;
  }
}
