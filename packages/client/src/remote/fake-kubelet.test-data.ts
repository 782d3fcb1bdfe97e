import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { isAlreadyExists } from '@coxswain/apimachinery/errors';
import { ApiServer, completeOptions, type Dialer, SocketDialer, withLocalKubelets } from '@coxswain/apiserver';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Credential, RestConfig } from '../config/rest-config.ts';
import { RESTClient } from '../rest/rest-client.ts';
import { InProcessTransport, type Transport } from '../transport/index.ts';
import { servePortForward } from './fake-port-forward.test-data.ts';

type LogAnswer = (query: URLSearchParams, response: ServerResponse, path: string) => void;

/** A command that the kubelet runs. */
export interface RunningCommand {
  readonly process: ChildProcess;
  readonly query: URLSearchParams;
  readonly container: string;
  readonly sizes: { Width: number; Height: number }[];
  /** Number of bytes read from its output. */
  sentBytes: number;
}

/**
 * The kubelet's endpoints for the API server. Commands are processes of this machine, ports are this machine's, logs
 * are defined by the test.
 */
export class FakeKubelet {
  readonly commands: RunningCommand[] = [];
  /** The offered protocols of each handshake, after the endpoint's name. */
  readonly offered: string[] = [];
  /** The supported protocols. */
  protocols: readonly string[] = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
  tunnelsSpdy = true;
  log: LogAnswer = (_, response) => response.end();
  /** If set, called instead of running the command. */
  onExec: ((socket: WebSocket) => void) | undefined;
  readonly #server: Server = createServer();
  readonly #sockets = new Set<Duplex>();
  readonly #dialer = new SocketDialer();
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => this.protocols.find((one) => offered.has(one)) ?? false,
  });
  #onCommand: (() => void)[] = [];

  constructor() {
    this.#server.on('connection', (socket: Duplex) => {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://kubelet');
      this.log(searchParams, response, pathname);
    });
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    for (const { process } of this.commands) process.kill('SIGKILL');
    this.#dialer.close();
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Destroys every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The dialer with which an API server in this process connects to it. */
  readonly dialer: Dialer = {
    dial: (target, request) => {
      const { port } = this.#server.address() as AddressInfo;
      return this.#dialer.dial(
        { ...target, scheme: 'http', host: '127.0.0.1', port: String(port), trust: 'none' },
        request,
      );
    },
  };

  /** Resolves with the next command, or the one with this index. */
  async command(index = this.commands.length): Promise<RunningCommand> {
    while (this.commands.length <= index) await new Promise<void>((resolve) => this.#onCommand.push(resolve));
    return this.commands[index]!;
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://kubelet');
    const [, endpoint, , , container = ''] = pathname.split('/');
    const offered = request.headers['sec-websocket-protocol'] ?? '';
    this.offered.push(`${endpoint} ${offered}`);
    if (endpoint === 'portForward') {
      if (offered.startsWith('SPDY') && !this.tunnelsSpdy) {
        socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 7\r\n\r\nno SPDY');
        return;
      }
      servePortForward(request, socket, head, searchParams);
      return;
    }
    if (!this.protocols.some((one) => offered.includes(one))) {
      socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      if (this.onExec) this.onExec(webSocket);
      else this.#run(webSocket, searchParams, container);
    });
  }

  #run(webSocket: WebSocket, query: URLSearchParams, container: string): void {
    const [command = 'cat', ...args] = query.getAll('command');
    const process = spawn(command, args);
    const running: RunningCommand = { process, query, container, sizes: [], sentBytes: 0 };
    this.commands.push(running);
    for (const notify of this.#onCommand.splice(0)) notify();
    const send = (channel: number, data: Uint8Array | string, sent = () => {}) =>
      webSocket.send(Buffer.concat([Buffer.of(channel), Buffer.from(data)]), sent);
    send(1, '');
    // Ignores write errors after the process has ended.
    process.stdin.on('error', () => {});
    for (const [channel, stream] of [process.stdout, process.stderr].entries()) {
      stream.on('data', (data: Buffer) => {
        stream.pause();
        running.sentBytes += data.length;
        send(channel + 1, data, () => stream.resume());
      });
    }
    webSocket.on('message', (message: Buffer) => {
      if (message[0] === 4) running.sizes.push(JSON.parse(message.subarray(1).toString()));
      if (message[0] === 255 && message[1] === 0) process.stdin.end();
      if (message[0] !== 0) return;
      if (process.stdin.write(message.subarray(1))) return;
      webSocket.pause();
      process.stdin.once('drain', () => webSocket.resume());
    });
    webSocket.on('close', () => process.kill('SIGKILL'));
    process.on('error', (error) => {
      send(3, JSON.stringify(internalError(`error executing command in container: ${error.message}`)));
      webSocket.close(1000);
    });
    process.on('close', (code, signal) => {
      if (process.pid === undefined) return;
      send(3, JSON.stringify(code === 0 ? { metadata: {}, status: 'Success' } : exited(code ?? (signal ? 137 : 1))));
      webSocket.close(1000);
    });
  }
}

const exited = (code: number) => ({
  metadata: {},
  status: 'Failure',
  message: `command terminated with non-zero exit code: exit status ${code}`,
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
});

const internalError = (message: string) => ({
  metadata: {},
  status: 'Failure',
  message: `Internal error occurred: ${message}`,
  reason: 'InternalError',
  details: { causes: [{ message }] },
  code: 500,
});

export interface Cluster {
  readonly kubelet: FakeKubelet;
  readonly client: RESTClient;
  readonly transport: Transport;
  /** A client for another user without groups. */
  clientOf(username: string): RESTClient;
  /** The config to connect over TLS. */
  readonly restConfig: RestConfig;
  stop(): Promise<void>;
}

/** A real API server and one node with a fake kubelet; pod `one` has a container `main`, the others have several. */
export async function startCluster(): Promise<Cluster> {
  const kubelet = await new FakeKubelet().start();
  const certDir = await mkdtemp(join(tmpdir(), 'cluster-'));
  const { config, adminKubeconfig } = await completeOptions({
    memory: true,
    securePort: 0,
    bindAddress: '127.0.0.1',
    certDir,
  });
  const server = new ApiServer({
    ...config,
    dialer: withLocalKubelets((node) => (node === 'node' ? kubelet.dialer : undefined), config.dialer),
  });
  await server.start();
  const transport = new InProcessTransport(server.transport({ username: 'me', groups: ['system:masters'] }));
  const client = new RESTClient(transport);
  await createObjects(client);
  const admin = adminKubeconfig!(server.address!.port);
  const credential: Credential = {
    clientCertificate: { certificate: admin.clientCertificate, key: admin.clientKey },
  };
  return {
    kubelet,
    client,
    transport,
    clientOf: (username) => new RESTClient(new InProcessTransport(server.transport({ username, groups: [] }))),
    restConfig: {
      server: admin.server,
      tls: { ca: admin.certificateAuthority },
      credentials: { current: async () => credential, refused: () => false },
    },
    stop: async () => {
      await transport.close();
      await server.stop();
      await kubelet.stop();
      await rm(certDir, { recursive: true });
    },
  };
}

async function createObjects(client: RESTClient): Promise<void> {
  const create = (path: string, body: object) => client.request({ method: 'POST', path, body });
  await create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } }).catch((error) => {
    if (!isAlreadyExists(error)) throw error;
  });
  await create('/api/v1/nodes', {
    metadata: { name: 'node' },
    status: { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] },
  });
  const pod = (name: string, containers: string[], annotations = {}) =>
    create('/api/v1/namespaces/default/pods', {
      metadata: { name, annotations },
      spec: { nodeName: 'node', containers: containers.map((container) => ({ name: container, image: 'x' })) },
    });
  await pod('one', ['main']);
  await pod('two', ['first', 'second'], { 'kubectl.kubernetes.io/default-container': 'second' });
  await pod('three', ['first', 'second']);
}
