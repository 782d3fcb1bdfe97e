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

/** PEM, as `--kubelet-client-certificate`, `--kubelet-client-key` and `--kubelet-certificate-authority` name it. */
export interface KubeletTls {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

export interface SocketDialerOptions {
  /**
   * Asked for every request, so that renewed files are taken up; connections are made anew when the object is another
   * than before. Without an authority, kubelets need not prove who they are.
   */
  readonly kubeletTls?: () => KubeletTls;
  readonly connectTimeoutMs?: number;
  readonly handshakeTimeoutMs?: number;
  /** Connections to one server at a time; what is more waits. */
  readonly maxConnectionsPerHost?: number;
  readonly idleTimeoutMs?: number;
  /** Resolves names; by default as the operating system does. */
  readonly lookup?: LookupFunction;
}

const noTls: KubeletTls = {};
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS']);
const namedPorts: ReadonlyMap<string, number> = new Map([
  ['http', 80],
  ['https', 443],
]);

/** Connections of one kind: those that are kept for further requests, and those that serve one. */
interface Agents {
  readonly pooled: http.Agent;
  readonly single: http.Agent;
}

/**
 * Reaches servers over sockets. Connections are kept for further requests, but not those of an upgrade. For requests that are passed on for
 * clients: bodies are streams both ways and are sent once, so it is apart from the `ConnectionPool` of webhooks.
 */
export class SocketDialer implements Dialer {
  readonly #options: Required<SocketDialerOptions>;
  readonly #plain: Agents;
  readonly #secure = new Map<DialTarget['trust'], Agents>();
  readonly #own = new WeakMap<TargetTls, Agents>();
  /** All that are open, also those that no pool knows any more: upgraded ones, and those with an old certificate. */
  readonly #connections = new Set<Socket>();
  /** For kubelets. */
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
    // A kept connection may turn out to be closed: only what can be sent again uses one.
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

  /** Closes all connections, also those in use and those that requests still wait for. */
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
      // Stays: an error after the answer began ends its body, and nobody waits for it here.
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
      // Else Node expects the server to have the name that the Host header says, which is the client's word for us.
      servername: tls?.serverName ?? (isIP(host) === 0 ? host : ''),
    };
    try {
      return scheme === 'http' ? http.request(options) : https.request(options);
    } catch (error) {
      // What came with the client's request cannot be sent on.
      throw new DialError(messageOf(error), false, { cause: error });
    }
  }

  /** Tells how far the connection is, and gives up on one that takes too long. */
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
    // Agents that are let go keep their connections until these have been idle for long enough.
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
 * Sends a body no faster than it is taken. Where nobody takes it any more, the rest is let go by, so that the client
 * that sends it can read its answer. Never rejects: an error of the body becomes one of the request.
 */
async function sendBody(body: AsyncIterable<Uint8Array>, outgoing: http.ClientRequest): Promise<void> {
  let wake: () => void = () => {};
  for (const event of ['drain', 'close']) outgoing.on(event, () => wake());
  const chunks = body[Symbol.asyncIterator]();
  try {
    // Not `for await`, which would end the client's connection where it stops early.
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
 * Fails where a name has an address that is refused. This is where a connection gets its address from: what was looked up
 * before may have changed since.
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

/** A kept connection turned out to be closed before anything came back: the same request on a new one may do. */
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
