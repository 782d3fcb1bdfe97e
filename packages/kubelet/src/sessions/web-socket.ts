import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ApiRequest, type ApiResponse, headerOf, isUpgradeRequest } from '@coxswain/component-base/http';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';

/** The longest message that is accepted; upstream's. */
const maxPayload = 32 * 1024 * 1024;
/** Messages that wait to be read. */
const unreadMessages = 4;

/** Returns the subprotocols that a client offers; undefined if it does not ask for a WebSocket. */
export function offeredProtocols(request: ApiRequest): string[] | undefined {
  if (!isUpgradeRequest(request) || headerOf(request, 'upgrade').toLowerCase() !== 'websocket') return undefined;
  return headerOf(request, 'sec-websocket-protocol')
    .split(',')
    .map((protocol) => protocol.trim());
}

/**
 * Accepts a WebSocket with that subprotocol, none if it is empty. Each chunk that is read from the stream or written to it is a message; with
 * `bytes`, the boundaries of read messages are not kept.
 */
export function acceptWebSocket(
  request: ApiRequest,
  { protocol, reads }: { readonly protocol: string; readonly reads: 'messages' | 'bytes' },
  use: (stream: Duplex) => void,
): ApiResponse {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    skipUTF8Validation: true,
    maxPayload,
  });
  // The library refuses names with a slash, such as `SPDY/3.1+portforward.k8s.io`.
  server.on('headers', (headers) => {
    if (protocol !== '') headers.push(`Sec-WebSocket-Protocol: ${protocol}`);
  });
  const options =
    reads === 'messages' ? { readableObjectMode: true, readableHighWaterMark: unreadMessages } : undefined;
  return {
    status: 101,
    headers: {},
    body: {
      upgrade: (socket, head) =>
        server.handleUpgrade(handshakeOf(request), socket, Buffer.from(head), (webSocket) => {
          const stream = closesNormally(webSocket, createWebSocketStream(webSocket, options));
          stream.on('error', () => {});
          use(stream);
        }),
    },
  };
}

const normalClosure = 1000;

/** The library gives no code when the stream ends, which clients take for a failure. */
function closesNormally(webSocket: WebSocket, stream: Duplex): Duplex {
  const { _final: end } = stream;
  stream._final = (done) => {
    webSocket.close(normalClosure);
    end.call(stream, done);
  };
  return stream;
}

function handshakeOf({ method, headers }: ApiRequest): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  message.method = method;
  for (const name of ['connection', 'upgrade', 'sec-websocket-key', 'sec-websocket-version']) {
    message.headers[name] = headerOf({ headers }, name);
  }
  return message;
}
