import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { MessageQueue } from './message-queue.ts';

/** The longest message that is accepted; upstream's. */
const maxPayload = 32 * 1024 * 1024;
/** When more than this waits to be sent, the writer waits. */
const maxBufferedBytes = 1024 * 1024;
const normalClosure = 1000;
/** The channel whose messages end other channels, since version 5. */
const closeChannel = 255;

/** A WebSocket whose messages begin with the number of a channel. */
export interface ChannelSocket {
  /** What the client sends on a channel. Must be asked for before the first message is read. */
  receive(channel: number): AsyncIterable<Uint8Array>;
  send(channel: number, bytes: Uint8Array): Promise<void>;
  /** Closes normally, after all that was sent. */
  close(): void;
  readonly closed: Promise<void>;
}

/** Accepts an upgrade to a WebSocket with that subprotocol; those that begin with `base64.` carry their bytes as text. */
export function acceptChannels(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  protocol: string,
  use: (channels: ChannelSocket) => void,
): void {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    skipUTF8Validation: true,
    maxPayload,
    handleProtocols: () => (protocol === '' ? false : protocol),
  });
  server.handleUpgrade(request, socket, head, (webSocket) =>
    use(channelsOf(webSocket, protocol.startsWith('base64.'))),
  );
}

function channelsOf(webSocket: WebSocket, isBase64: boolean): ChannelSocket {
  const queues = new Map<number, MessageQueue>();
  webSocket.on('error', () => {});
  webSocket.on('message', (data: RawData) => {
    const message = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);
    // Channels of text are written as digits.
    const channel = isBase64 ? Number(message.toString('latin1', 0, 1)) : message[0];
    if (channel === closeChannel) {
      const ended = message[1];
      if (ended === undefined || !queues.has(ended)) return webSocket.close(1002);
      return queues.get(ended)?.end();
    }
    const bytes = isBase64 ? Buffer.from(message.toString('latin1', 1), 'base64') : message.subarray(1);
    if (bytes.length > 0 && queues.get(channel ?? -1)?.push(bytes) === false) webSocket.pause();
  });
  const closed = new Promise<void>((resolve) => {
    webSocket.once('close', () => {
      for (const queue of queues.values()) queue.end();
      resolve();
    });
  });
  return {
    closed,
    receive(channel) {
      const queue = new MessageQueue(() => {
        if (![...queues.values()].some(({ isFull }) => isFull)) webSocket.resume();
      });
      queues.set(channel, queue);
      return queue;
    },
    async send(channel, bytes) {
      if (webSocket.readyState !== webSocket.OPEN) return;
      const message = isBase64
        ? `${channel}${Buffer.from(bytes).toString('base64')}`
        : Buffer.concat([Buffer.from([channel]), bytes]);
      const sent = new Promise<void>((resolve) => webSocket.send(message, () => resolve()));
      if (webSocket.bufferedAmount > maxBufferedBytes) await Promise.race([sent, closed]);
    },
    close: () => webSocket.close(normalClosure),
  };
}
