import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { KeyPair } from './certificates.test-data.ts';

type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A server that requests are proxied to: a kubelet (with TLS) or a pod. Responds with `hello` by default. */
export class FakeServer {
  readonly requests: { method: string; url: string; headers: IncomingMessage['headers'] }[] = [];
  /** The open connections. */
  readonly sockets = new Set<Socket>();
  /** The number of connections so far. */
  connections = 0;
  answer: RequestListener = (_, response) => response.end('hello');
  upgrade: UpgradeListener = (_, socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  readonly #server: Server;

  constructor(tls?: KeyPair & { ca: string }) {
    this.#server = tls ? createSecureServer({ ...tls, requestCert: true, rejectUnauthorized: false }) : createServer();
    this.#server.on('request', (request, response) => {
      this.#record(request);
      this.answer(request, response);
    });
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#record(request);
      socket.on('error', () => {});
      this.upgrade(request, socket, head);
    });
    this.#server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.connections++;
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  /** Resolves when the last connection is closed. */
  async drained(): Promise<void> {
    for (const socket of this.sockets) await once(socket, 'close');
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #record({ method = '', url = '', headers }: IncomingMessage): void {
    this.requests.push({ method, url, headers });
  }
}

/** Returns a port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = await new FakeServer().start();
  const { port } = server;
  await server.close();
  return port;
}
