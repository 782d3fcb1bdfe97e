import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { Duplex } from 'node:stream';
import { bodyTooLarge, readAll } from './body.ts';
import { distinctHeaders } from './distinct-headers.ts';
import {
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  type Connection,
  lengthOf,
  type RequestHeaders,
} from './handler.ts';
import { type RequestTarget, readRequestTarget } from './request-target.ts';
import { StreamSink } from './stream-sink.ts';

/** Headers of HTTP/1.1 that HTTP/2 forbids. */
const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'transfer-encoding',
  'upgrade',
  'keep-alive',
  'proxy-connection',
  'http2-settings',
  'te',
]);

/** Serves one stream of an HTTP/2 connection. */
export function serveStream(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: readonly string[],
  connection: Connection,
  handler: ApiHandler,
): void {
  // Clients cancel streams all the time. Handlers learn it from the request's signal.
  stream.on('error', ignore);
  const hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
  const target = readRequestTarget(headers[':path'] ?? '');
  if (!target) {
    // As in Go's server: only the stream is closed, not the connection.
    stream.close(constants.NGHTTP2_PROTOCOL_ERROR);
    return;
  }
  if (hasBody) stream.destroy = destroySoon;
  const request = new Http2Request(stream, distinctHeaders(headers, rawHeaders), target, hasBody, connection);
  handler(request)
    .then((response) => respond(stream, request, response))
    .catch(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
}

function ignore(): void {}

/**
 * Replaces `destroy` of a stream whose request has a body. Node destroys such a stream as soon as the last frame of the response is
 * created. When that frame is written, a moment later, Node finds the stream destroyed and creates an error, with its call stack, that is
 * never reported. That costs as much as decoding a small object. So the stream is destroyed one turn of the event loop later.
 */
function destroySoon(this: ServerHttp2Stream, error?: Error): ServerHttp2Stream {
  this.destroy = destroyNow;
  if (error || this.writableLength === 0) return this.destroy(error);
  setImmediate(destroy, this);
  return this;
}

function destroyNow(this: ServerHttp2Stream, error?: Error): ServerHttp2Stream {
  Duplex.prototype.destroy.call(this, error);
  return this;
}

function destroy(stream: ServerHttp2Stream): void {
  stream.destroy();
}

function respond(stream: ServerHttp2Stream, request: Http2Request, { status, headers, body }: ApiResponse): void {
  if (stream.destroyed || stream.closed) return;
  const head: Record<string, string | string[] | number> = { ':status': status };
  for (const name in headers) {
    const value = headers[name]!;
    if (!connectionHeaders.has(name)) head[name] = typeof value === 'string' ? value : [...value];
  }
  const length = lengthOf(body);
  if (length !== undefined) head['content-length'] = length;
  if (body === undefined || request.method === 'HEAD') {
    stream.respond(head, { endStream: true });
  } else if (body instanceof Uint8Array) {
    stream.respond(head);
    stream.end(body);
  } else if ('stream' in body) {
    stream.respond(head);
    body.stream(new StreamSink(stream, () => stream.close(constants.NGHTTP2_INTERNAL_ERROR)));
  } else if ('upgrade' in body) {
    // HTTP/2 has no upgrades. Filters refuse them before this point.
    stream.respond({ ':status': 400 }, { endStream: true });
  } else {
    stream.respond(head);
    for (const chunk of body) stream.write(chunk);
    stream.end();
  }
  if (request.hasBody && !stream.readableEnded) stopUpload(stream);
}

/** Tells a client that is still sending an unread body to stop, once it has its response. */
function stopUpload(stream: ServerHttp2Stream): void {
  stream.resume();
  // Written frames are sent at the end of this turn of the event loop. A reset before that would overtake them.
  const stop = (): NodeJS.Immediate => setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
  if (stream.writableFinished) stop();
  else stream.once('finish', stop);
}

class Http2Request implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: RequestHeaders;
  readonly connection: Connection;
  readonly hasBody: boolean;
  readonly #stream: ServerHttp2Stream;
  #controller: AbortController | undefined;

  constructor(
    stream: ServerHttp2Stream,
    headers: RequestHeaders,
    target: RequestTarget,
    hasBody: boolean,
    connection: Connection,
  ) {
    this.#stream = stream;
    this.hasBody = hasBody;
    this.connection = connection;
    this.headers = headers;
    this.method = textOf(headers[':method']) || 'GET';
    this.path = target.path;
    this.search = target.search;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.#stream.destroyed || this.#stream.closed) controller.abort();
      else this.#stream.once('close', () => controller.abort());
    }
    return this.#controller.signal;
  }

  async readBody(maxBytes: number): Promise<Uint8Array> {
    if (!this.hasBody) return nothing;
    if (Number(this.headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
    return readAll(this.#stream, maxBytes);
  }

  streamBody(): AsyncIterable<Uint8Array> {
    return this.#stream;
  }
}

const textOf = (value: RequestHeaders[string]): string => (typeof value === 'string' ? value : '');
const nothing = new Uint8Array(0);
