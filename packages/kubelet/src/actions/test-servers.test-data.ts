import { spawn } from 'node:child_process';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttp2Server, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { issueKeyPair } from '@coxswain/client/x509';

const hour = 3_600_000;

/** A server that listens but never accepts, whose queue is full after a few connections. */
const fullQueue = `
const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('node:fs').writeSync(1, server.address().port + '\\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

/** Servers on ports of 127.0.0.1. */
export class TestServers {
  readonly #ends: (() => unknown)[] = [];

  /** Returns the port of a server that does so with each of its connections. */
  async tcp(onConnection: (socket: Socket) => void): Promise<number> {
    return await this.#listen(
      createServer((socket) => {
        socket.on('error', () => {});
        onConnection(socket);
      }),
    );
  }

  /** Returns the port of a server that does so with the first bytes of each of its connections. */
  async answering(onRequest: (socket: Socket, request: string) => void): Promise<number> {
    return await this.tcp((socket) => socket.once('data', (data) => onRequest(socket, data.toString('latin1'))));
  }

  async http(handler: RequestListener): Promise<number> {
    return await this.#listen(createHttpServer(handler));
  }

  /** With a certificate that is for another name and was never valid. */
  async https(handler: RequestListener): Promise<number> {
    const validity = { notBefore: new Date(Date.UTC(2001)), notAfter: new Date(Date.UTC(2001) + hour) };
    const pair = issueKeyPair({
      commonName: 'other',
      dnsNames: ['other.example'],
      usages: ['serverAuth'],
      ...validity,
    });
    return await this.#listen(createHttpsServer({ cert: pair.certificatePem, key: pair.keyPem }, handler));
  }

  /** HTTP/2 without TLS. */
  async http2(onStream: (stream: ServerHttp2Stream, path: string) => void): Promise<number> {
    const server: Http2Server = createHttp2Server();
    server.on('sessionError', () => {});
    server.on('stream', (stream, headers) => {
      stream.on('error', () => {});
      onStream(stream, headers[':path'] ?? '');
    });
    return await this.#listen(server);
  }

  /** Returns a port on which nobody listens. */
  async closedPort(): Promise<number> {
    const server = createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    return port;
  }

  /** Returns a port at which attempts to connect get no answer. */
  async unansweredPort(): Promise<number> {
    const child = spawn(process.execPath, ['-e', fullQueue], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#ends.push(() => child.kill('SIGKILL'));
    const port = await new Promise<number>((resolve) => child.stdout.once('data', (data) => resolve(Number(data))));
    for (let i = 0; i < 4; i++) {
      const socket = connect({ host: '127.0.0.1', port });
      socket.on('error', () => {});
      this.#ends.push(() => socket.destroy());
    }
    return port;
  }

  close(): void {
    for (const end of this.#ends.splice(0).reverse()) end();
  }

  async #listen(server: Server | Http2Server): Promise<number> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    this.#ends.push(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    return await listening(server);
  }
}

async function listening(server: Server | Http2Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
