import { onAbort } from '@coxswain/apimachinery/abort';
import { ChunkQueue } from './chunk-queue.ts';
import { TransportError, type WebSocketConnection, type WebSocketRequest } from './transport.ts';

/** When more than this is buffered, `send` polls the buffer in intervals of `lookAgainMs`. */
const highWaterMark = 256 * 1024;
const lookAgainMs = 10;
/**
 * Prefix of the subprotocol that carries a bearer token, because browsers cannot set headers; a convention of the API
 * server.
 */
const tokenProtocol = 'base64url.bearer.authorization.k8s.io.';

/**
 * Opens a browser's WebSocket. The bearer token is sent as a subprotocol; other headers cannot be sent. Browsers do not
 * tell why a server rejects a WebSocket, so that is a `TransportError`. `done` is called when the connection has ended.
 */
export function openBrowserWebSocket(
  WebSocketClass: typeof globalThis.WebSocket,
  url: string,
  { headers, protocols, signal }: WebSocketRequest,
  done: () => void,
): Promise<WebSocketConnection> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocketClass(url, [...protocols, ...tokenProtocols(headers.authorization)]);
    socket.binaryType = 'arraybuffer';
    let connection: BrowserWebSocketConnection | undefined;
    const fail = (reason: unknown): void => {
      unlink();
      done();
      socket.close();
      if (connection) connection.fail(reason);
      else reject(reason);
    };
    const unlink = onAbort(signal, () => fail(signal?.reason));
    socket.addEventListener('open', () => {
      connection = new BrowserWebSocketConnection(socket);
      resolve(connection);
    });
    // Has no information; `close` follows. Outside of browsers, an error event needs a listener.
    socket.addEventListener('error', () => {});
    socket.addEventListener('close', ({ wasClean, code, reason }) => {
      unlink();
      done();
      if (wasClean && connection) connection.end();
      else fail(new TransportError(`the WebSocket was closed: ${code} ${reason}`.trim()));
    });
  });
}

class BrowserWebSocketConnection implements WebSocketConnection {
  readonly #socket: WebSocket;
  readonly #received = new ChunkQueue();

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data as ArrayBuffer);
      // Browsers have no backpressure here: messages that arrive faster than they are read are buffered.
      this.#received.write(bytes);
    });
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  async send(message: Uint8Array): Promise<void> {
    if (this.#socket.readyState !== this.#socket.OPEN) throw new TransportError('the WebSocket is closed');
    this.#socket.send(new Uint8Array(message));
    while (this.#socket.readyState === this.#socket.OPEN && this.#socket.bufferedAmount > highWaterMark) {
      await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
    }
  }

  messages(): AsyncIterable<Uint8Array> {
    return this.#received.chunks();
  }

  close(code?: number, reason?: string): void {
    this.#socket.close(code, reason);
  }

  end(): void {
    this.#received.end();
  }

  fail(reason: unknown): void {
    this.#received.fail(reason);
  }
}

function tokenProtocols(authorization: string | readonly string[] | undefined): string[] {
  const [, token] = /^Bearer (.+)$/.exec(String(authorization ?? '')) ?? [];
  if (token === undefined) return [];
  return [tokenProtocol + btoa(token).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')];
}
