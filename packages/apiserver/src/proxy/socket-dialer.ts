import { lookup as systemLookup } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { addAbortSignal, Readable } from 'node:stream';
import { createSecureContext } from 'node:tls';
import { messageOf } from '@coxswain/apimachinery/errors';
import {
  type AddressTest,
  addressNotAllowed,
  connectionRefused,
  DialError,
  type Dialer,
  type DialRequest,
  type DialResponse,
  type DialTarget,
  hostPort,
  type TargetTls,
} from './dialer.ts';
import { type Progress, socketError } from './socket-error.ts';

/** `--kubelet-certificate-authority`, `--kubelet-client-certificate` and `--kubelet-client-key`, as PEM. */
export interface KubeletTls {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

export interface SocketDialerOptions {
  /**
   * Called for every request, so that renewed files are used. When it returns another object, new connections are opened. Without
   * `ca`, certificates of kubelets are not verified.
   */
  readonly kubeletTls?: () => KubeletTls;
  readonly connectTimeoutMs?: number;
  readonly handshakeTimeoutMs?: number;
  /** The maximum number of connections to one server. Further requests wait. */
  readonly maxConnectionsPerHost?: number;
  readonly idleTimeoutMs?: number;
  /** Resolves host names; with the operating system's resolver by default. */
  readonly lookup?: LookupFunction;
}

const noTls: KubeletTls = {};
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS']);
const namedPorts: ReadonlyMap<string, number> = new Map([
  ['http', 80],
  ['https', 443],
]);

/** The agents for one set of TLS options: with keep-alive connections, and with a connection per request. */
interface Agents {
  readonly pooled: http.Agent;
  readonly single: http.Agent;
}

/**
 * Sends requests over sockets, with keep-alive connections except for upgrades. It is for proxied requests, whose bodies are streams
 * that can be sent only once. Hence it is separate from the `ConnectionPool` of webhooks.
 */
export class SocketDialer implements Dialer {
  readonly #options: Required<SocketDialerOptions>;
  readonly #plain: Agents;
  readonly #secure = new Map<DialTarget['trust'], Agents>();
  readonly #own = new WeakMap<TargetTls, Agents>();
  /** All open connections, also those that left their pool: upgraded ones, and those with a previous certificate. */
  readonly #connections = new Set<Socket>();
  /** Addresses that are refused for kubelets. */
  readonly #refused: AddressTest[] = [];
  #kubeletTls: KubeletTls | undefined;
  #isClosed = false;

  constructor(options: SocketDialerOptions = {}) {
    this.#options = {
      kubeletTls: () => noTls,
      connectTimeoutMs: 30_000,
      handshakeTimeoutMs: 10_000,
      maxConnectionsPerHost: 1024,
      idleTimeoutMs: 90_000,
      lookup: systemLookup,
      ...options,
    };
    this.#plain = this.#newAgents(http.Agent, {});
  }

  async dial(target: DialTarget, request: DialRequest): Promise<DialResponse> {
    request.signal.throwIfAborted();
    const port = portOf(target);
    // A kept connection may turn out to be closed, so only requests that can be repeated use one.
    const isRepeatable = !request.upgrade && request.body === undefined && repeatable.has(request.method);
    try {
      return await this.#exchange(target, port, request, !isRepeatable);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      return await this.#exchange(target, port, request, true);
    }
  }

  refuse(isRefused: AddressTest): void {
    this.#refused.push(isRefused);
  }

  /** Closes all connections, also those in use and those that are still being opened. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#connections) connection.destroy();
  }

  #exchange(target: DialTarget, port: number, request: DialRequest, ownConnection: boolean): Promise<DialResponse> {
    const outgoing = this.#request(target, port, request, ownConnection);
    let progress: Progress = 'connecting';
    outgoing.once('socket', (socket) => {
      if (this.#isClosed) socket.destroy();
      if (!outgoing.reusedSocket) {
        this.#connections.add(socket);
        socket.once('close', () => this.#connections.delete(socket));
      }
      this.#watch(socket, target, outgoing, (reached) => {
        progress = reached;
      });
    });
    const answer = new Promise<DialResponse>((resolve, reject) => {
      outgoing.once('response', (incoming) => {
        resolve({ status: incoming.statusCode ?? 0, headers: headersOf(incoming), body: incoming });
      });
      outgoing.once('upgrade', (incoming, socket: Socket, head: Buffer) => {
        if (head.length > 0) socket.unshift(head);
        addAbortSignal(request.signal, socket);
        resolve({ status: 101, headers: headersOf(incoming), body: Readable.from([]), connection: socket });
      });
      // Not `once`: an error after the response began ends its body, and rejecting again has no effect.
      outgoing.on('error', (error) => {
        if (request.signal.aborted) reject(request.signal.reason);
        else if (error instanceof DialError) reject(error);
        else if (outgoing.reusedSocket) reject(new StaleConnection());
        else reject(socketError(error, target, progress));
      });
    });
    if (request.body === undefined) outgoing.end();
    else void sendBody(request.body, outgoing);
    return answer;
  }

  #request(target: DialTarget, port: number, request: DialRequest, ownConnection: boolean): http.ClientRequest {
    const { host, scheme, trust, tls } = target;
    const { method, path, headers, signal } = request;
    const isRefused: AddressTest = (...address) => this.#refused.some((refuses) => refuses(...address));
    const lookup = trust === 'none' ? this.#options.lookup : lookupWithout(isRefused, port, this.#options.lookup);
    if (trust !== 'none' && isIP(host) !== 0 && isRefused(host, port)) throw addressNotAllowed(host, port);
    const { pooled, single } = scheme === 'http' ? this.#plain : tls ? this.#ownAgents(tls) : this.#secureAgents(trust);
    const options: https.RequestOptions = {
      ...{
        host,
        port,
        method,
        path,
        headers: mutable(headers),
        signal,
        agent: ownConnection ? single : pooled,
        lookup,
      },
      // By default Node would verify the certificate against the Host header, which is the client's name of the API server.
      servername: tls?.serverName ?? (isIP(host) === 0 ? host : ''),
    };
    try {
      return scheme === 'http' ? http.request(options) : https.request(options);
    } catch (error) {
      // For example, the client's request has headers that Node refuses to send.
      throw new DialError(messageOf(error), false, { cause: error });
    }
  }

  /** Reports the progress of connecting, and destroys the request after a timeout. */
  #watch(
    socket: Socket,
    target: DialTarget,
    outgoing: http.ClientRequest,
    reached: (progress: Progress) => void,
  ): void {
    if (!socket.connecting) {
      reached('connected');
      return;
    }
    const expire = (message: string) => () => outgoing.destroy(new DialError(message, false));
    const { connectTimeoutMs, handshakeTimeoutMs } = this.#options;
    let timer = setTimeout(expire(`dial tcp ${hostPort(target)}: i/o timeout`), connectTimeoutMs);
    const done = () => clearTimeout(timer);
    socket.once('close', done);
    socket.once('connect', () => {
      done();
      reached(target.scheme === 'http' ? 'connected' : 'handshaking');
      if (target.scheme === 'http') return;
      timer = setTimeout(expire('net/http: TLS handshake timeout'), handshakeTimeoutMs);
      socket.once('secureConnect', () => {
        done();
        reached('connected');
      });
    });
  }

  #newAgents<O extends http.AgentOptions>(Agent: new (options: O) => http.Agent, options: O): Agents {
    const { maxConnectionsPerHost: maxSockets, idleTimeoutMs: timeout } = this.#options;
    return {
      pooled: new Agent({ ...options, maxSockets, timeout, keepAlive: true, maxFreeSockets: 4 }),
      single: new Agent({ ...options, maxSockets }),
    };
  }

  #ownAgents(tls: TargetTls): Agents {
    let agents = this.#own.get(tls);
    if (!agents) {
      const { ca, cert, key, insecureSkipVerify = false } = tls;
      const options: https.AgentOptions = {
        rejectUnauthorized: !insecureSkipVerify,
        ALPNProtocols: ['http/1.1'],
        secureContext: createSecureContext({ ...(ca !== undefined && { ca }), ...(cert && { cert, key }) }),
      };
      agents = this.#newAgents(https.Agent, options);
      this.#own.set(tls, agents);
    }
    return agents;
  }

  #secureAgents(trust: DialTarget['trust']): Agents {
    const tls = this.#options.kubeletTls();
    // Dropped agents keep their connections until the idle timeout.
    if (tls !== this.#kubeletTls) this.#secure.clear();
    this.#kubeletTls = tls;
    let agents = this.#secure.get(trust);
    if (!agents) {
      const { ca, cert, key } = tls;
      const isVerified = trust === 'kubelet' && ca !== undefined;
      const options: https.AgentOptions = {
        rejectUnauthorized: isVerified,
        ALPNProtocols: ['http/1.1'],
        secureContext: createSecureContext({ ...(isVerified && { ca }), ...(trust !== 'none' && { cert, key }) }),
      };
      agents = this.#newAgents(https.Agent, options);
      this.#secure.set(trust, agents);
    }
    return agents;
  }
}

/**
 * Sends a body with backpressure. When the server no longer reads, the rest of the body is read and dropped, so that the client can
 * read the response. Never rejects: an error of the body destroys the request.
 */
async function sendBody(body: AsyncIterable<Uint8Array>, outgoing: http.ClientRequest): Promise<void> {
  let wake: () => void = () => {};
  for (const event of ['drain', 'close']) outgoing.on(event, () => wake());
  const chunks = body[Symbol.asyncIterator]();
  try {
    // Not `for await`, which would close the client's connection when the loop is left early.
    for (let chunk = await chunks.next(); !chunk.done; chunk = await chunks.next()) {
      if (outgoing.destroyed || outgoing.write(chunk.value)) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    outgoing.end();
  } catch (error) {
    outgoing.destroy(error instanceof Error ? error : undefined);
  }
}

/**
 * Returns a lookup function that fails when a host name resolves to a refused address. The check is in the lookup that the connection
 * uses, because an earlier lookup may have returned other addresses.
 */
const lookupWithout =
  (isRefused: AddressTest, port: number, lookup: LookupFunction): LookupFunction =>
  (name, options, callback) => {
    lookup(name, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
      const refused = error ? undefined : addresses.find((address) => isRefused(address, port));
      if (refused === undefined) callback(error, found, family);
      else callback(addressNotAllowed(refused, port), found, family);
    });
  };

/** A kept connection was closed before the response. The request can be repeated on a new one. */
class StaleConnection extends Error {}

function portOf({ scheme, host, port }: DialTarget): number {
  const number = namedPorts.get(port === '' ? scheme : port) ?? (/^\d+$/.test(port) ? Number(port) : undefined);
  if (number === undefined) throw new DialError(`dial tcp: lookup tcp/${port}: unknown port`, false);
  if (number > 65535) throw new DialError(`dial tcp: address ${port}: invalid port`, false);
  if (number === 0) throw new DialError(connectionRefused({ host, port }), false);
  return number;
}

function headersOf({ headersDistinct }: http.IncomingMessage): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (const name of Object.keys(headersDistinct)) {
    const values = headersDistinct[name] ?? [];
    headers[name] = values.length === 1 ? values[0]! : values;
  }
  return headers;
}

function mutable(headers: DialRequest['headers']): http.OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}
