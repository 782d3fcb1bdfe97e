import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import type { WebSocketConnection, WebSocketRequest } from '../../transport.ts';
import { openWebSocket } from './web-socket.ts';

/** An upgrade request. */
interface UpgradeCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when the connection is closed. */
  readonly signal: AbortSignal;
}

/** The server takes over the connection, and first writes the head of its response. */
export interface Upgrade {
  readonly upgrade: (socket: Duplex, head: Uint8Array) => void;
}

interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array;
}

/** Opens a WebSocket to a server in the same process: the connection is a pair of streams in memory. */
export function openInProcessWebSocket(
  request: WebSocketRequest,
  call: (request: UpgradeCall) => Promise<Upgrade | Refusal>,
): Promise<WebSocketConnection> {
  const { url, headers, protocols, signal } = request;
  return openWebSocket({
    url: new URL(url, 'ws://in-process'),
    headers,
    protocols,
    ...(signal && { signal }),
    createConnection: () => serve(call),
  });
}

/** Returns the client's side of a connection to the function, with HTTP on it. */
function serve(call: (request: UpgradeCall) => Promise<Upgrade | Refusal>): Duplex {
  const [client, server] = duplexPair();
  // Unlike the two sides of a socket, these are not closed together automatically.
  client.once('close', () => server.destroy());
  server.once('close', () => {
    // Earlier data can still be read.
    client.once('end', () => client.destroy());
    if (!client.readableEnded) client.push(null);
  });
  server.on('error', () => server.destroy());
  const listener = createServer();
  listener.on('upgrade', (message, socket, head) => {
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    call({
      method: message.method ?? 'GET',
      url: message.url ?? '/',
      headers: headersOf(message),
      signal: gone.signal,
    })
      .then((answer) => {
        if ('upgrade' in answer) answer.upgrade(socket, head);
        else refuse(message, socket, answer);
      })
      .catch(() => socket.destroy());
  });
  listener.emit('connection', server);
  return client;
}

function refuse(message: IncomingMessage, socket: Duplex, answer: Refusal): void {
  const response = new ServerResponse(message);
  response.shouldKeepAlive = false;
  response.assignSocket(message.socket);
  response.on('finish', () => socket.end());
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) {
    response.setHeader(name, typeof value === 'string' ? value : [...value]);
  }
  response.end(answer.body);
}

const headersOf = ({ headersDistinct }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]));
