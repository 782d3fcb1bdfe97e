import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import type { WebSocketConnection, WebSocketRequest } from '../../transport.ts';
import { openWebSocket } from './web-socket.ts';

/** A request whose answer may want the connection. */
interface UpgradeCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when the connection is gone. */
  readonly signal: AbortSignal;
}

/** The server takes the connection over, and begins with the head of its answer. */
export interface Upgrade {
  readonly upgrade: (socket: Duplex, head: Uint8Array) => void;
}

interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array;
}

/** Opens a WebSocket to a server that is a function in this process: what a socket would carry goes through memory. */
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

/** The client's end of a connection to the function; HTTP is spoken on it as on any. */
function serve(call: (request: UpgradeCall) => Promise<Upgrade | Refusal>): Duplex {
  const [client, server] = duplexPair();
  // Sockets are gone when either side is; these know of each other only what is written.
  client.once('close', () => server.destroy());
  server.once('close', () => {
    // What was written before is still to be read.
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
