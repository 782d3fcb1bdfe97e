import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestOptions, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Pod } from '@coxswain/api/core/v1';
import { silentLogger, systemClock } from '@coxswain/client';
import { type ApiHandler, type Connection, serveHttp1, serveUpgrade } from '@coxswain/component-base/http';
import { type RuntimeServiceHandlers, runtimeInProcess } from '@coxswain/cri';
import { WebSocket } from 'ws';
import { kubeletHandler } from '../server/kubelet-handler.ts';
import { StatsProvider } from '../stats/stats-provider.ts';

const pod: Pod = {
  metadata: { name: 'web', namespace: 'default', uid: 'u-1' },
  spec: {
    containers: [
      { name: 'main', image: 'i' },
      { name: 'terminal', image: 'i', tty: true },
    ],
  },
};

/** What a runtime has of the pod. */
const runtimeOfPod: RuntimeServiceHandlers = {
  listContainers: async () => ({
    containers: ['main', 'terminal'].map((name) => ({
      id: `id-of-${name}`,
      metadata: { name },
      state: 'CONTAINER_RUNNING' as const,
    })),
  }),
  listPodSandbox: async () => ({ items: [{ id: 'sandbox', state: 'SANDBOX_READY' as const, createdAt: 1n }] }),
};

const connection: Connection = { remoteAddress: '192.0.2.7', protocol: 'HTTP/1.1', clientCertificates: [] };

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

class TestServer {
  readonly server: Server = createServer();
  readonly sockets = new Set<Socket>();

  constructor() {
    this.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** The kubelet's handler behind a socket, and the streaming server of its runtime. */
export class SessionServer {
  readonly #kubelet = new TestServer();
  readonly #runtime = new TestServer();
  /** The CRI requests of sessions, such as `exec {"containerId":"id-of-main"}`. */
  readonly calls: string[] = [];
  readonly requests: IncomingMessage[] = [];
  readonly translated: string[] = [];
  /** Answers upgrades at the runtime's streaming server. */
  upgrade: Upgrade = (_, socket) => socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n\r\nnone');
  /** Instead of a URL. */
  failure: Error | undefined;
  execSync: NonNullable<RuntimeServiceHandlers['execSync']> = async () => ({});

  async start(): Promise<this> {
    const session = (name: string) => async (asked: object) => {
      this.calls.push(`${name} ${JSON.stringify(asked)}`);
      if (this.failure) throw this.failure;
      return { url: `http://127.0.0.1:${this.#runtime.port}/${name}/token` };
    };
    const handlers: RuntimeServiceHandlers = {
      ...runtimeOfPod,
      exec: session('exec'),
      attach: session('attach'),
      portForward: session('portForward'),
      execSync: (asked, options) => this.execSync(asked, options),
    };
    const { runtime, images } = runtimeInProcess(handlers, {});
    const handler: ApiHandler = kubeletHandler({
      nodeName: 'n1',
      runtime: { service: runtime, listPods: unused },
      stats: new StatsProvider({ nodeName: 'n1', runtime: { service: runtime, images }, clock: systemClock }),
      logs: { read: async function* () {} },
      clock: systemClock,
      logger: silentLogger,
      onWebSocket: (subresource) => this.translated.push(subresource),
      pods: () => [pod],
    });
    this.#kubelet.server.on('request', (message, response) => serveHttp1(message, response, connection, handler));
    this.#kubelet.server.on('upgrade', (message, socket, head) =>
      serveUpgrade(message, socket, head, connection, handler),
    );
    this.#runtime.server.on('upgrade', (message: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.requests.push(message);
      socket.on('error', () => {});
      // Servers of Node keep their side open otherwise.
      socket.on('end', () => socket.end());
      this.upgrade(message, socket, head);
    });
    await Promise.all([this.#kubelet.start(), this.#runtime.start()]);
    return this;
  }

  async close(): Promise<void> {
    await Promise.all([this.#kubelet.close(), this.#runtime.close()]);
  }

  /** Resolves when neither server has a connection. */
  async drained(): Promise<void> {
    for (const socket of [...this.#kubelet.sockets, ...this.#runtime.sockets]) {
      if (!socket.destroyed) await once(socket, 'close');
    }
  }

  async fetch(path: string, options: RequestOptions = {}): Promise<{ status: number; text: string; headers: object }> {
    const outgoing = request({ host: '127.0.0.1', port: this.#kubelet.port, path, agent: false, ...options });
    outgoing.end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of incoming) text += String(chunk);
    return { status: incoming.statusCode ?? 0, text, headers: incoming.headers };
  }

  /** A connection that was upgraded to SPDY. */
  async spdy(path: string, headers: Record<string, string | string[]> = {}): Promise<Duplex> {
    const outgoing = request({
      host: '127.0.0.1',
      port: this.#kubelet.port,
      path,
      method: 'POST',
      agent: false,
      headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', ...headers },
    });
    outgoing.end();
    const [, socket, head] = (await once(outgoing, 'upgrade')) as [IncomingMessage, Duplex, Buffer];
    if (head.length > 0) socket.unshift(head);
    return socket;
  }

  /** A WebSocket with all messages that it has received. */
  async webSocket(path: string, protocol: string): Promise<{ client: WebSocket; messages: Buffer[] }> {
    const messages: Buffer[] = [];
    const socket = new WebSocket(`ws://127.0.0.1:${this.#kubelet.port}${path}`, {
      headers: { 'sec-websocket-protocol': protocol, authorization: 'Bearer secret' },
    });
    // The library does not know that protocols were offered.
    socket.on('upgrade', (response) => delete response.headers['sec-websocket-protocol']);
    socket.on('message', (data: Buffer) => messages.push(data));
    await once(socket, 'open');
    return { client: socket, messages };
  }
}

const unused = (): never => {
  throw new Error('not used here');
};
