import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { addAbortSignal, type Duplex, duplexPair, PassThrough, Readable } from 'node:stream';
import {
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  type Connection,
  type ResponseSink,
  serveHttp1,
  serveUpgrade,
} from '@coxswain/component-base/http';

/** What an API server in the same process asks a kubelet. */
interface DialRequest {
  readonly method: string;
  /** Percent-encoded, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Requests an upgrade of the connection. The headers contain the handshake. */
  readonly upgrade?: boolean;
  /** Aborts the request, the response body or the upgraded connection. */
  readonly signal: AbortSignal;
}

interface DialResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Readable;
  /** The upgraded connection. Set if and only if the status is 101. */
  readonly connection?: Duplex;
}

/** Reaches a kubelet in this process without a socket: what the API server takes as the dialer of a local kubelet. */
export interface KubeletDialer {
  dial(target: unknown, request: DialRequest): Promise<DialResponse>;
}

const connection: Connection = { remoteAddress: '', protocol: 'in-process', clientCertificates: [] };

export const inProcessDialer = (handler: ApiHandler): KubeletDialer => ({
  dial: async (_, request) => {
    if (request.upgrade) return await dialUpgrade(handler, request);
    const { status, headers, body } = await handler(apiRequest(request));
    return { status, headers, body: bodyOf(body) };
  },
});

/** Sends the request as HTTP over a pair of streams, since an upgraded connection begins with a response head. */
async function dialUpgrade(handler: ApiHandler, { method, path, headers, signal }: DialRequest): Promise<DialResponse> {
  signal.throwIfAborted();
  const [client, server] = connected();
  const listener = createServer((message, response) => serveHttp1(message, response, connection, handler));
  listener.on('upgrade', (message, socket, head) => serveUpgrade(message, socket, head, connection, handler));
  listener.emit('connection', server);
  const outgoing = httpRequest({ method, path, headers: mutable(headers), createConnection: () => client, signal });
  return await new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.once('response', (message) =>
      resolve({ status: message.statusCode ?? 0, headers: headersOf(message), body: message }),
    );
    outgoing.once('upgrade', (message, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      socket.on('error', () => {});
      addAbortSignal(signal, socket);
      resolve({ status: 101, headers: headersOf(message), body: Readable.from([]), connection: socket });
    });
    outgoing.end();
  });
}

/** Returns two connected streams, which unlike those of `duplexPair` are closed together, as the two ends of a socket are. */
function connected(): [Duplex, Duplex] {
  const [client, server] = duplexPair();
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.on('error', () => one.destroy());
    one.once('close', () => {
      // What was sent before can still be read.
      other.once('end', () => other.destroy());
      if (!other.readableEnded && !other.destroyed) other.push(null);
    });
  }
  return [client, server];
}

const headersOf = ({ headersDistinct }: IncomingMessage): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.length === 1 ? values[0]! : values]),
  );

const mutable = (headers: DialRequest['headers']): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );

function apiRequest({ method, path, headers, signal }: DialRequest): ApiRequest {
  const mark = path.indexOf('?');
  return {
    method,
    path: mark < 0 ? path : path.slice(0, mark),
    search: mark < 0 ? '' : path.slice(mark + 1),
    headers,
    connection,
    signal,
    // None of the kubelet's own requests has a body.
    readBody: async () => new Uint8Array(),
    streamBody: async function* () {},
  };
}

function bodyOf(body: ApiResponse['body']): Readable {
  if (body === undefined || 'upgrade' in body) return Readable.from([]);
  if (body instanceof Uint8Array) return Readable.from([body]);
  if (!('stream' in body)) return Readable.from(body);
  const through = new PassThrough();
  body.stream(sinkOf(through));
  return through;
}

const sinkOf = (through: PassThrough): ResponseSink => ({
  write: (chunk, sent) => through.write(chunk, () => sent?.()),
  get pendingBytes() {
    return through.writableLength;
  },
  onDrain: (callback) => through.once('drain', callback),
  onClose: (callback) => through.once('close', callback),
  end: () => through.end(),
  destroy: () => through.destroy(),
});
