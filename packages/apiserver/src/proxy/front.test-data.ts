import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestOptions, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { FeatureGates } from '@coxswain/api';
import type { Endpoints, Node, Pod, Service } from '@coxswain/api/core/v1';
import { type KubernetesObject, toStatus } from '@coxswain/apimachinery';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import type { ApiHandler, Connection } from '@coxswain/component-base/http';
import { serveHttp1, serveUpgrade } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import { readRequestInfo } from '../http/request-info.ts';
import type { Lister } from '../registry/lister.ts';
import { connectSubresources } from './connect-subresource.ts';
import type { Dialer } from './dialer.ts';
import { KubeletConnection } from './kubelet-connection.ts';
import type { ProxyDependencies } from './proxy-dependencies.ts';

export interface Objects {
  readonly nodes?: readonly Node[];
  readonly pods?: readonly Pod[];
  readonly services?: readonly Service[];
  readonly endpoints?: readonly Endpoints[];
}

function listerOf<T extends KubernetesObject>(objects: readonly T[] = []): Lister<T> {
  return {
    synced: Promise.resolve(),
    get: (namespace, name) =>
      objects.find(({ metadata }) => (metadata?.namespace ?? '') === namespace && metadata?.name === name),
    list: () => [...objects],
    onChange: () => () => {},
  };
}

/** Returns the dependencies of proxied requests, over a few objects. */
export const dependenciesOf = (objects: Objects, dialer: Dialer): ProxyDependencies => ({
  pods: listerOf(objects.pods),
  services: listerOf(objects.services),
  endpoints: listerOf(objects.endpoints),
  kubelets: new KubeletConnection(listerOf(objects.nodes)),
  dialer,
  authorizer: { authorize: async () => ({ decision: 'allow', reason: '' }) },
  featureGates: FeatureGates.defaults,
  random: () => 0,
  lookup: async (host) => [host],
});

/** Returns the context of a request for a subresource. */
function contextOf(apiRequest: RequestContext['request']): RequestContext {
  const query = new URLSearchParams(apiRequest.search);
  return {
    request: apiRequest,
    info: readRequestInfo(apiRequest.method, decodeURIComponent(apiRequest.path), query),
    query,
    user: { username: 'somebody' },
    warn: () => {},
    annotate: () => {},
    eventLoop: systemEventLoop,
  };
}

const handlerOf =
  (deps: ProxyDependencies): ApiHandler =>
  async (apiRequest) => {
    try {
      const context = contextOf(apiRequest);
      const { resource, subresource } = context.info;
      return await connectSubresources.get(`${resource}/${subresource}`)!.begin(context).connect(deps);
    } catch (error) {
      const status = toStatus(error);
      return {
        status: status.code ?? 500,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify(status)),
      };
    }
  };

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** The proxy part of the API server, with sockets in front. */
export class Front {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(deps: ProxyDependencies) {
    const handler = handlerOf(deps);
    const connection: Connection = { remoteAddress: '10.1.2.3', protocol: 'HTTP/1.1', clientCertificates: [] };
    this.#server = createServer((message, response) => serveHttp1(message, response, connection, handler));
    this.#server.on('upgrade', (message, socket, head) => serveUpgrade(message, socket, head, connection, handler));
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Sends a request and returns the response, whose body is not read. */
  async open(path: string, options: RequestOptions & { body?: string } = {}): Promise<IncomingMessage> {
    const outgoing = request({ host: '127.0.0.1', port: this.port, path, agent: false, ...options });
    outgoing.end(options.body);
    outgoing.on('error', () => {});
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    return incoming;
  }

  async fetch(path: string, options: RequestOptions & { body?: string } = {}): Promise<Answer> {
    const incoming = await this.open(path, options);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    return {
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString('latin1'),
    };
  }

  /** Returns the connection after a successful upgrade. */
  async upgrade(
    path: string,
    options: RequestOptions = {},
  ): Promise<{ headers: IncomingMessage['headers']; socket: Socket; head: Buffer }> {
    const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1', ...options.headers };
    const outgoing = request({ host: '127.0.0.1', port: this.port, path, agent: false, ...options, headers });
    outgoing.end();
    const [incoming, socket, head] = (await once(outgoing, 'upgrade')) as [IncomingMessage, Socket, Buffer];
    return { headers: incoming.headers, socket, head };
  }
}
