import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContext } from 'node:tls';
import { onAbort } from '@coxswain/apimachinery/abort';
import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import type { Credential, RestConfig } from '../../config/rest-config.ts';
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
  type WebSocketConnection,
  type WebSocketRequest,
} from '../transport.ts';
import type { ConnectionPool, RequestDefaults } from './connection-pool.ts';
import { bareHost, type DialOptions, type DialTarget, dial } from './dial.ts';
import { gunzipped } from './gunzip.ts';
import { Http1Pool } from './http1-pool.ts';
import { Http2Pool } from './http2/http2-pool.ts';
import { nodeTls } from './node-tls.ts';
import { parseProxyUrl, proxyFromEnvironment } from './proxy-from-environment.ts';
import { proxyAuthorization } from './proxy-tunnel.ts';

/** How long a CA bundle from a function is cached while no connections are opened. */
const caRefreshMs = 5 * 60_000;

export interface NodeTransportOptions {
  /**
   * `2` (the default): requests and watches share one or a few connections, and concurrent requests are sent together.
   * Servers without HTTP/2 or TLS get HTTP/1.1. `1.1`: a keep-alive connection for each concurrent request and watch.
   */
  readonly httpVersion?: '1.1' | '2';
  /** The environment with `HTTPS_PROXY` and similar variables. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

type ClientCertificate = Credential['clientCertificate'];

/** Connections with the same client certificate and CA. */
interface Generation {
  readonly ca: string | undefined;
  readonly clientCertificate: ClientCertificate;
  readonly target: DialTarget;
  readonly pool: ConnectionPool;
}

/**
 * HTTP(S) to a server over sockets. Adds no credentials; `newTransport` does. When the CA bundle or the client
 * certificate changes, new connections are opened, and the old ones closed when their requests have ended.
 */
export class NodeTransport implements Transport {
  readonly #config: RestConfig;
  readonly #clock: Clock;
  readonly #server: URL;
  readonly #proxy: URL | undefined;
  readonly #defaults: RequestDefaults;
  readonly #httpVersion: '1.1' | '2';
  #current: Generation | undefined;
  /** Retired pools with requests in progress. */
  readonly #retired = new Set<ConnectionPool>();
  #caCheckedAtMs = 0;
  #closed: TransportError | undefined;
  /** Close the connections of `connect`, open or pending. */
  readonly #onClose = new Set<() => void>();

  /** Throws when the server's or the proxy's URL is invalid, or a CA is combined with `insecureSkipTlsVerify`. */
  constructor(config: RestConfig, options: NodeTransportOptions = {}) {
    this.#config = config;
    this.#clock = config.clock ?? systemClock;
    this.#server = serverUrl(config.server);
    this.#httpVersion = options.httpVersion ?? '2';
    if (config.tls?.insecureSkipTlsVerify && config.tls.ca !== undefined) {
      throw new Error('specifying root certificates together with the insecure flag is not allowed');
    }
    this.#proxy =
      config.proxyUrl === undefined
        ? proxyFromEnvironment(this.#server, options.environment ?? process.env)
        : parseProxyUrl(config.proxyUrl);
    const isForwarded = !this.#isSecure && this.#proxy?.protocol.startsWith('http') === true;
    const authorization = isForwarded && proxyAuthorization(this.#proxy!);
    this.#defaults = {
      authority: this.#server.host,
      prefix: (isForwarded ? this.#server.origin : '') + this.#server.pathname.replace(/\/$/, ''),
      headers: {
        ...(!config.disableCompression && { 'accept-encoding': 'gzip' }),
        ...(authorization && { 'proxy-authorization': authorization }),
      },
    };
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    const known = this.#upToDate(request.clientCertificate);
    const { pool } = known ?? (await this.#generation(request.clientCertificate));
    if (this.#closed) throw this.#closed;
    request.signal?.throwIfAborted();
    const response = await pool.send(request);
    if (response.headers['content-encoding'] !== 'gzip') return response;
    // An unwanted body may be omitted, and need not be decompressed.
    return request.bodyUnwanted && response.status < 300 ? response : gunzipped(response);
  }

  async openWebSocket(request: WebSocketRequest): Promise<WebSocketConnection> {
    const { url, headers, protocols, signal, clientCertificate } = request;
    const { openWebSocket } = await import('./web-socket/web-socket.ts');
    const scheme = this.#isSecure ? 'wss:' : 'ws:';
    return await openWebSocket({
      url: new URL(`${scheme}//${this.#defaults.authority}${this.#server.pathname.replace(/\/$/, '')}${url}`),
      headers,
      protocols,
      createConnection: () => this.connect({ ...(signal && { signal }), clientCertificate }),
      ...(signal && { signal }),
    });
  }

  /**
   * Opens a connection to the server for protocols that begin as HTTP/1.1, with the same proxy and TLS. Sends no
   * credentials. The caller must close it.
   */
  async connect(options: { signal?: AbortSignal; clientCertificate?: ClientCertificate } = {}): Promise<Duplex> {
    options.signal?.throwIfAborted();
    const { target } = await this.#generation(options.clientCertificate);
    if (this.#closed) throw this.#closed;
    const abort = new AbortController();
    const stop = onAbort(options.signal, () => abort.abort(options.signal?.reason));
    const end = (): void => abort.abort(this.#closed);
    this.#onClose.add(end);
    try {
      const socket = await dial(target, { alpn: ['http/1.1'], clock: this.#clock, signal: abort.signal });
      const destroy = (): void => void socket.destroy(this.#closed);
      this.#onClose.add(destroy);
      socket.once('close', () => this.#onClose.delete(destroy));
      return socket;
    } finally {
      stop();
      this.#onClose.delete(end);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = new TransportError('the transport was closed', { mayHaveBeenSent: false });
    for (const end of this.#onClose) end();
    const reason = new TransportError('the transport was closed');
    this.#current?.pool.close(reason);
    for (const pool of this.#retired) pool.close(reason);
    this.#retired.clear();
  }

  get #isSecure(): boolean {
    return this.#server.protocol === 'https:';
  }

  /** Returns the current connections if they are known to be up to date; otherwise undefined. */
  #upToDate(clientCertificate: ClientCertificate): Generation | undefined {
    const current = this.#current;
    if (!current || !sameCertificate(current.clientCertificate, clientCertificate)) return undefined;
    const mayHaveChanged = typeof this.#config.tls?.ca === 'function';
    return mayHaveChanged && this.#clock.monotonic() - this.#caCheckedAtMs > caRefreshMs ? undefined : current;
  }

  async #generation(clientCertificate: ClientCertificate): Promise<Generation> {
    const ca = await this.#ca();
    const current = this.#current;
    if (current && current.ca === ca && sameCertificate(current.clientCertificate, clientCertificate)) return current;
    if (current) this.#retire(current.pool);
    const target = this.#target(ca, clientCertificate);
    const pool = this.#pool((options) => this.#dial({ ca, clientCertificate, target }, options));
    this.#current = { ca, clientCertificate, target, pool };
    return this.#current;
  }

  #pool(open: (options: Omit<DialOptions, 'clock'>) => Promise<Socket>): ConnectionPool {
    const newHttp1Pool = (): Http1Pool =>
      new Http1Pool((signal) => open({ signal, alpn: ['http/1.1'] }), this.#defaults, this.#clock);
    if (this.#httpVersion === '1.1' || !this.#isSecure) return newHttp1Pool();
    return new Http2Pool(
      (signal, reader) => open({ signal, reader, alpn: ['h2', 'http/1.1'] }),
      newHttp1Pool,
      this.#defaults,
      this.#clock,
    );
  }

  /**
   * Connects with the current CA bundle, which may have changed since the generation was created. Most servers then
   * have a certificate of the new CA.
   */
  async #dial(generation: Omit<Generation, 'pool'>, how: Omit<DialOptions, 'clock'>): Promise<Socket> {
    const ca = await this.#ca();
    const options = { ...how, clock: this.#clock };
    if (ca === generation.ca) return await dial(generation.target, options);
    this.#caCheckedAtMs = Number.NEGATIVE_INFINITY;
    return await dial(this.#target(ca, generation.clientCertificate), options);
  }

  async #ca(): Promise<string | undefined> {
    const ca = this.#config.tls?.ca;
    if (typeof ca !== 'function') return ca;
    this.#caCheckedAtMs = this.#clock.monotonic();
    return await ca();
  }

  #target(ca: string | undefined, clientCertificate: ClientCertificate): DialTarget {
    const { tls } = this.#config;
    return {
      host: bareHost(this.#server.hostname),
      port: Number(this.#server.port) || (this.#isSecure ? 443 : 80),
      proxy: this.#proxy,
      tls: this.#isSecure
        ? {
            context: secureContext(ca, clientCertificate),
            serverName: tls?.serverName,
            insecureSkipTlsVerify: tls?.insecureSkipTlsVerify ?? false,
          }
        : undefined,
    };
  }

  #retire(pool: ConnectionPool): void {
    for (const old of this.#retired) if (old.isDrained) this.#retired.delete(old);
    pool.retire();
    if (!pool.isDrained) this.#retired.add(pool);
  }
}

function secureContext(ca: string | undefined, clientCertificate: ClientCertificate): SecureContext {
  try {
    return nodeTls().createSecureContext({
      ...(ca !== undefined && { ca }),
      ...(clientCertificate && { cert: clientCertificate.certificate, key: clientCertificate.key }),
    });
  } catch (cause) {
    throw new TransportError('the CA bundle or the client certificate cannot be used', {
      mayHaveBeenSent: false,
      cause,
    });
  }
}

const sameCertificate = (a: ClientCertificate, b: ClientCertificate): boolean =>
  a === b || (a !== undefined && b !== undefined && a.certificate === b.certificate && a.key === b.key);

/** Parses the server's URL. Without a scheme it is `https`, as in client-go with TLS. */
function serverUrl(server: string): URL {
  const url = new URL(/^https?:\/\//i.test(server) ? server : `https://${server}`);
  if (url.username || url.password || url.search || url.hash) {
    throw new Error('the URL of a server may only have a scheme, a host, a port and a path');
  }
  return url;
}
