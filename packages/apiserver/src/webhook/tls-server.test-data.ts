import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { issueKeyPair, type KeyPair } from '@coxswain/client/x509';

const hour = 3_600_000;
const from = (hours: number): Date => new Date(Date.now() + hours * hour);
const valid = { notBefore: from(-1), notAfter: from(24) };

export const authority: KeyPair = issueKeyPair({ commonName: 'webhook-ca', isCA: true, ...valid });
/** Another CA with the same name. */
export const impostor: KeyPair = issueKeyPair({ commonName: 'webhook-ca', isCA: true, ...valid });
const usages = ['serverAuth'] as const;
const here = { ipAddresses: ['127.0.0.1'], dnsNames: ['localhost', 'hook.ns.svc'] };

/** Certificates by their special property. */
export const certificates = {
  good: issueKeyPair({ commonName: 'hook', usages, ...here, ...valid }, authority),
  byAnImpostor: issueKeyPair({ commonName: 'hook', usages, ...here, ...valid }, impostor),
  ofItsOwn: issueKeyPair({ commonName: 'hook', usages, ...here, ...valid }),
  expired: issueKeyPair({ commonName: 'hook', usages, ...here, notBefore: from(-48), notAfter: from(-24) }, authority),
  tooEarly: issueKeyPair({ commonName: 'hook', usages, ...here, notBefore: from(24), notAfter: from(48) }, authority),
  withoutAddress: issueKeyPair(
    { commonName: 'hook', usages, dnsNames: ['a.example', 'b.example'], ...valid },
    authority,
  ),
  ofOtherAddresses: issueKeyPair(
    { commonName: 'hook', usages, ipAddresses: ['10.0.0.1', '10.0.0.2'], ...valid },
    authority,
  ),
  withoutNames: issueKeyPair({ commonName: 'localhost', usages, ...valid }, authority),
  forClients: issueKeyPair({ commonName: 'hook', usages: ['clientAuth'], ...here, ...valid }, authority),
} as const;

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A server whose `close` also closes all its connections. */
export class TestServer {
  readonly sockets = new Set<Socket>();
  connections = 0;
  most = 0;
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.connections++;
      this.sockets.add(socket);
      this.most = Math.max(this.most, this.sockets.size);
      socket.on('error', () => {});
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  static https(listener: RequestListener, pair: KeyPair = certificates.good, clientCA?: string): TestServer {
    const tls = { cert: pair.certificatePem, key: pair.keyPem };
    return new TestServer(
      createServer(
        clientCA === undefined ? tls : { ...tls, ca: clientCA, requestCert: true, rejectUnauthorized: false },
        listener,
      ),
    );
  }

  static tcp(listener: (socket: Socket) => void): TestServer {
    return new TestServer(createTcpServer(listener));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.sockets) socket.destroy();
    if (this.#server.listening || this.sockets.size > 0) await once(this.#server, 'close');
  }
}
