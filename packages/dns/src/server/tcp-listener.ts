import { createServer, type Server, type Socket } from 'node:net';
import type { Clock, Logger, Timer } from '@coxswain/client';
import type { Client } from '../chain/index.ts';
import type { QueryServer } from './query-server.ts';

export interface TcpListenerOptions {
  /** Undefined: all addresses. */
  readonly address: string | undefined;
  readonly port: number;
  readonly server: Pick<QueryServer, 'answer'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A connection is closed when no whole query has come for this long. */
const idleMs = 10_000;
/** Further connections wait in the kernel, or are refused by it. */
const maxConnections = 1000;
/** Queries of one connection that are being answered. It is not read further meanwhile. */
const maxPipelined = 64;
/** Answers that the client has not read yet. */
const maxUnreadBytes = 256 * 1024;

/** A TCP port for queries (RFC 7766): several per connection, answered in the order in which the answers are there. */
export class TcpListener {
  readonly #server: Server;
  readonly #connections: Set<Connection>;

  private constructor(server: Server, connections: Set<Connection>) {
    this.#server = server;
    this.#connections = connections;
  }

  /** Rejects when the address cannot be bound. */
  static async open(options: TcpListenerOptions): Promise<TcpListener> {
    const { address, port, logger } = options;
    const connections = new Set<Connection>();
    const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
      const connection = new Connection(socket, options, () => connections.delete(connection));
      connections.add(connection);
    });
    server.maxConnections = maxConnections;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: address, port }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    server.on('error', (error) => logger.error('TCP port failed', error, { port }));
    return new TcpListener(server, connections);
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const connection of this.#connections) connection.close();
    return closed;
  }
}

class Connection {
  readonly #socket: Socket;
  readonly #options: TcpListenerOptions;
  readonly #client: Client;
  readonly #onClosed: () => void;
  /** The beginning of a query that is not complete: at most 64 KiB and one chunk. */
  #unread: Buffer = Buffer.alloc(0);
  #answering = 0;
  #timer: Timer | undefined;

  constructor(socket: Socket, options: TcpListenerOptions, onClosed: () => void) {
    this.#socket = socket;
    this.#options = options;
    this.#onClosed = onClosed;
    const { remoteAddress = '', remotePort = 0 } = socket;
    const address = remoteAddress.replace(/^::ffff:/, '');
    this.#client = { address, port: remotePort, family: address.includes(':') ? 6 : 4, protocol: 'tcp' };
    socket.on('data', (data) => this.#received(data));
    socket.on('end', () => this.#ended());
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#timer?.cancel();
      this.#onClosed();
    });
    socket.on('drain', () => this.#read());
    this.#restartTimer();
  }

  close(): void {
    this.#socket.destroy();
  }

  #received(data: Buffer): void {
    this.#unread = this.#unread.length === 0 ? data : Buffer.concat([this.#unread, data]);
    this.#read();
  }

  #read(): void {
    while (this.#unread.length >= 2 && !this.#isBusy()) {
      const length = this.#unread.readUInt16BE(0);
      if (this.#unread.length < 2 + length) break;
      const packet = this.#unread.subarray(2, 2 + length);
      this.#unread = this.#unread.subarray(2 + length);
      this.#restartTimer();
      this.#answer(packet);
    }
    if (this.#isBusy()) this.#socket.pause();
    else this.#socket.resume();
  }

  #isBusy(): boolean {
    return this.#answering >= maxPipelined || this.#socket.writableLength > maxUnreadBytes;
  }

  #answer(packet: Buffer): void {
    const answer = this.#options.server.answer(packet, this.#client);
    if (!(answer instanceof Promise)) {
      this.#send(answer);
      return;
    }
    this.#answering++;
    void answer.then((later) => {
      this.#answering--;
      this.#send(later);
      this.#read();
      if (this.#answering === 0 && this.#socket.readableEnded) this.#socket.end();
    });
  }

  #send(answer: Buffer | undefined): void {
    if (!answer || !this.#socket.writable) return;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(answer.length);
    this.#socket.write(Buffer.concat([length, answer]));
  }

  #ended(): void {
    if (this.#answering === 0) this.#socket.end();
  }

  #restartTimer(): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.setTimeout(() => this.#socket.destroy(), idleMs, { background: true });
  }
}
