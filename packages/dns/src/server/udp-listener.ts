import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Logger } from '@coxswain/client';
import type { Client } from '../chain/index.ts';
import type { QueryServer } from './query-server.ts';

export interface UdpListenerOptions {
  readonly address: string;
  readonly port: number;
  readonly server: Pick<QueryServer, 'answer'>;
  readonly logger: Logger;
}

/** Bytes of packets that wait in the kernel. A burst of a whole cluster fits. */
const receiveBufferBytes = 4 * 1024 * 1024;

/**
 * A UDP socket for queries. It is bound to one address, never to all: the kernel would choose the source of the answers, and clients ignore answers that come from
 * another address than the one they asked.
 */
export class UdpListener {
  readonly #socket: Socket;
  readonly #server: Pick<QueryServer, 'answer'>;
  readonly #logger: Logger;

  private constructor(socket: Socket, { server, logger }: UdpListenerOptions) {
    this.#socket = socket;
    this.#server = server;
    this.#logger = logger;
  }

  /** Rejects when the address cannot be bound. */
  static async open(options: UdpListenerOptions): Promise<UdpListener> {
    const { address, port } = options;
    // Node looks up every destination, even an address; a lookup that answers at once saves a tick and a tenth of the time of a query.
    const socket = createSocket({
      type: isIPv6(address) ? 'udp6' : 'udp4',
      lookup: (host, _options, callback) => callback(null, host, isIPv6(host) ? 6 : 4),
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ address, port, exclusive: true }, () => {
        socket.off('error', reject);
        resolve();
      });
    });
    try {
      socket.setRecvBufferSize(receiveBufferBytes);
    } catch (error) {
      options.logger.v(2).info('The receive buffer keeps its size', { err: error });
    }
    const listener = new UdpListener(socket, options);
    socket.on('message', (packet, from) => listener.#receive(packet, from));
    socket.on('error', (error) => options.logger.error('UDP socket failed', error, { address }));
    return listener;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }

  #receive(packet: Buffer, from: RemoteInfo): void {
    const { address, port } = from;
    const answer = this.#server.answer(packet, clientOf(address, port));
    if (answer instanceof Promise) {
      void answer.then((later) => this.#send(later, port, address));
    } else this.#send(answer, port, address);
  }

  #send(answer: Buffer | undefined, port: number, address: string): void {
    // Port 0 cannot be answered; Node would throw.
    if (!answer || port === 0) return;
    try {
      this.#socket.send(answer, 0, answer.length, port, address, ignoreFailure);
    } catch (error) {
      // Closed meanwhile.
      this.#logger.v(4).info('Failed to send an answer', { err: error });
    }
  }
}

/** The client may be gone, or unreachable: nothing can be done about that, and it may be a lie. */
const ignoreFailure = (): void => {};

function clientOf(address: string, port: number): Client {
  const isMapped = address.startsWith('::ffff:');
  return {
    address: isMapped ? address.slice(7) : address,
    port,
    family: isMapped || !address.includes(':') ? 4 : 6,
    protocol: 'udp',
  };
}
