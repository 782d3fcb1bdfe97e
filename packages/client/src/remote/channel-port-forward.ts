import { type Clock, systemClock, type Timer } from '@coxswain/apimachinery/clock';
import type { WebSocketConnection } from '../transport/transport.ts';
import {
  type ForwardedStream,
  type PortForwardConnection,
  PortForwardError,
  type PortForwardTarget,
} from './forwarded-stream.ts';
import { podPath, type RemoteClient } from './pod-target.ts';

const channel = { data: 0, error: 1 } as const;
const protocols = ['v4.channel.k8s.io'];

/** Maximum size of a sent message. */
const maxMessageBytes = 32 * 1024;

/** How long the pod may be silent after the local side has ended. */
const lingerMs = 30_000;

/** A port-forward with one WebSocket per connection. */
export class ChannelPortForward implements PortForwardConnection {
  readonly #client: RemoteClient;
  readonly #target: PortForwardTarget;
  readonly #open = new Set<ForwardedStream>();
  #resolveClosed: () => void = () => {};
  readonly closed: Promise<void> = new Promise((resolve) => {
    this.#resolveClosed = resolve;
  });
  isClosed = false;

  constructor(client: RemoteClient, target: PortForwardTarget) {
    this.#client = client;
    this.#target = target;
  }

  async open(port: number): Promise<ForwardedStream> {
    const { signal, clock = systemClock } = this.#target;
    const webSocket = await this.#client.openWebSocket({
      path: podPath(this.#target, 'portforward'),
      query: { ports: port },
      protocols,
      ...(signal && { signal }),
    });
    const stream = new ChannelForwardedStream(port, webSocket, () => this.#open.delete(stream), clock);
    this.#open.add(stream);
    if (this.isClosed) stream.close();
    return stream;
  }

  close(): void {
    this.isClosed = true;
    for (const stream of this.#open) stream.close();
    this.#resolveClosed();
  }
}

class ChannelForwardedStream implements ForwardedStream {
  readonly #port: number;
  readonly #webSocket: WebSocketConnection;
  readonly #onClose: () => void;
  readonly #clock: Clock;
  /** Set when the local side has ended. */
  #linger: Timer | undefined;

  constructor(port: number, webSocket: WebSocketConnection, onClose: () => void, clock: Clock) {
    this.#port = port;
    this.#webSocket = webSocket;
    this.#onClose = onClose;
    this.#clock = clock;
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const decoder = new TextDecoder();
    // The first message on each channel contains the port.
    const begun = new Set<number>();
    try {
      for await (const message of this.#webSocket.messages()) {
        if (this.#linger) await this.end();
        const number = message[0];
        if (number === undefined) continue;
        if (!begun.has(number)) begun.add(number);
        else if (number === channel.error) {
          throw new PortForwardError(this.#port, decoder.decode(message.subarray(1)).trim());
        } else if (number === channel.data && message.length > 1) yield message.subarray(1);
      }
    } finally {
      this.close();
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; start += maxMessageBytes) {
      const piece = bytes.subarray(start, start + maxMessageBytes);
      const message = new Uint8Array(piece.length + 1);
      message[0] = channel.data;
      message.set(piece, 1);
      await this.#webSocket.send(message);
    }
  }

  /** The protocol cannot signal the end, so the connection stays open for a while for the pod to finish. */
  async end(): Promise<void> {
    this.#linger?.cancel();
    this.#linger = this.#clock.setTimeout(() => this.close(), lingerMs);
  }

  close(): void {
    this.#linger?.cancel();
    this.#onClose();
    this.#webSocket.close();
  }
}
