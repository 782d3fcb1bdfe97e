import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { TransportError } from '../../transport/transport.ts';
import type { ForwardedStream, PortForwardConnection, PortForwardTarget } from '../forwarded-stream.ts';
import type { RemoteClient } from '../pod-target.ts';
import { openPortForward } from '../port-forward.ts';
import { type PortPair, parsePort } from './port-spec.ts';
import { sinkTo, sourceOf } from './streams.ts';

export interface PortForwardOptions extends PortForwardTarget {
  /** `8080:80`, `80` or `:80`. */
  readonly ports: readonly (string | number)[];
  /** Local addresses, or `localhost` for 127.0.0.1 and ::1, of which one must be available. Default: `localhost`. */
  readonly addresses?: readonly string[];
  /** Called with the error of a failed connection. The local program only sees the connection close. */
  readonly onError?: (error: unknown, port: PortPair) => void;
}

/** A running port-forward. */
export interface PortForward {
  /** The requested ports, with the chosen local ports. */
  readonly ports: readonly PortPair[];
  /** Stops listening and ends all connections. */
  close(): Promise<void>;
}

/**
 * Listens on local ports and forwards connections to ports of a pod. Resolves when it listens and the connection to the
 * pod is open. Rejects with an ApiError when the server rejects the request, a TransportError, a RangeError for an
 * invalid port, and with the system's error when a local port is not available.
 *
 * Differs from client-go, which ends when the connection to the pod is lost: here the next local connection opens a new
 * one.
 */
export async function portForward(client: RemoteClient, options: PortForwardOptions): Promise<PortForward> {
  const wanted = options.ports.map(parsePort);
  if (wanted.length === 0) throw new RangeError('at least one port is needed');
  options.signal?.throwIfAborted();
  const forwarder = new PortForwarder(client, options);
  try {
    await forwarder.connect();
    const ports: PortPair[] = [];
    for (const pair of wanted) ports.push(await forwarder.listen(pair));
    return { ports, close: () => forwarder.close() };
  } catch (error) {
    await forwarder.close();
    throw error;
  }
}

class PortForwarder {
  readonly #client: RemoteClient;
  readonly #options: PortForwardOptions;
  readonly #servers = new Set<Server>();
  readonly #sockets = new Set<Socket>();
  /** Aborted by `close`. */
  readonly #over = new AbortController();
  /** The open or pending connection to the pod. */
  #connection: Promise<PortForwardConnection> | undefined;
  /** The last open connection to the pod. */
  #open: PortForwardConnection | undefined;
  readonly #abort = (): void => void this.close();

  constructor(client: RemoteClient, options: PortForwardOptions) {
    this.#client = client;
    this.#options = options;
    options.signal?.addEventListener('abort', this.#abort, { once: true });
  }

  /** Returns the connection to the pod; opens it when there is none. */
  connect(): Promise<PortForwardConnection> {
    if (this.#connection) return this.#connection;
    const { signal } = this.#options;
    const over = this.#over.signal;
    const connecting = openPortForward(this.#client, {
      ...this.#options,
      signal: signal ? AbortSignal.any([signal, over]) : over,
    });
    this.#connection = connecting;
    const forget = (): void => {
      if (this.#connection === connecting) this.#connection = undefined;
    };
    connecting.then((connection) => {
      this.#open = connection;
      void connection.closed.then(forget);
    }, forget);
    return connecting;
  }

  /** Listens on all addresses. A port chosen by the system is the same on all of them. */
  async listen(pair: PortPair): Promise<PortPair> {
    let { local } = pair;
    for (const address of this.#options.addresses ?? ['localhost']) {
      const hosts = address === 'localhost' ? ['127.0.0.1', '::1'] : [address];
      const failures: unknown[] = [];
      for (const host of hosts) {
        try {
          local = await this.#listenOn(host, { local, remote: pair.remote });
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length === hosts.length) throw failures[0];
    }
    return { local, remote: pair.remote };
  }

  async close(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#abort);
    // Closes an open connection gracefully, and aborts a pending one.
    this.#open?.close();
    this.#over.abort(new TransportError('the port-forward was closed'));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([...this.#servers].map((server) => new Promise((resolve) => server.close(resolve))));
  }

  async #listenOn(host: string, pair: PortPair): Promise<number> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    server.listen(pair.local, host);
    await once(server, 'listening');
    this.#servers.add(server);
    const local = (server.address() as AddressInfo).port;
    const tell = (error: unknown): void => {
      if (!this.#over.signal.aborted) this.#options.onError?.(error, { local, remote: pair.remote });
    };
    server.on('error', tell);
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      this.#serve(socket, pair.remote).catch((error) => {
        socket.destroy();
        tell(error);
      });
    });
    return local;
  }

  async #serve(socket: Socket, remote: number): Promise<void> {
    // The reads and writes below report errors.
    socket.on('error', () => {});
    const connection = await this.connect();
    const stream = await connection.open(remote);
    try {
      await join(socket, stream);
    } finally {
      stream.close();
    }
  }
}

/** Forwards bytes in both directions until the pod ends the connection. A closed local connection is not an error. */
async function join(socket: Socket, stream: ForwardedStream): Promise<void> {
  const sending = (async () => {
    try {
      for await (const chunk of sourceOf(socket)) {
        await stream.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      }
      if (socket.readableEnded) await stream.end();
      else stream.close();
    } catch {
      // The read side reports the error.
      stream.close();
    }
  })();
  const write = sinkTo(socket);
  try {
    for await (const chunk of stream.chunks()) await write(chunk);
    socket.end();
  } catch (error) {
    if (!socket.destroyed) throw error;
  }
  socket.destroySoon();
  await sending;
}
