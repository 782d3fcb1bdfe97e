import type { Server as Http1Server } from 'node:http';
import {
  createServer as createHttp2,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, createServer as createTcp, type Socket, type Server as TcpServer } from 'node:net';
import { createServer as createTls, type SecureContext, type TLSSocket, type Server as TlsServer } from 'node:tls';
import type { ApiHandler, Connection } from './handler.ts';
import { type HandshakeLimits, Handshakes } from './handshakes.ts';
import { createHttp1Server } from './http1-server.ts';
import { serveStream } from './http2.ts';
import { TlsContexts, type TlsOptions } from './tls-contexts.ts';

export interface ListenerOptions {
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  /** Absent: plain HTTP/1.1. */
  readonly tls?: TlsOptions;
  readonly handler: ApiHandler;
  /** Limit on the open streams of an HTTP/2 connection. */
  readonly maxConcurrentStreams?: number;
  /** Disables HTTP/2. */
  readonly http1Only?: boolean;
}

/** Limit on the size of all headers of a request together, including the URL. */
const maxHeaderBytes = 128 * 1024;
/** Limit on the time for the handshake, and for the head of a request; upstream's. */
const headTimeoutMs = 32_000;
/** Connections without activity are closed after this time; upstream's. */
const idleTimeoutMs = 90_000;
/** Probes of the operating system find clients that vanished without a word. Go's interval. */
const keepAliveInitialDelay = 15_000;
/** A connection is closed after this many invalid frames, or streams beyond the limit. */
const maxBadFrames = 100;
const handshakeLimits: HandshakeLimits = { timeoutMs: headTimeoutMs, maxSilent: 4096, maxBegun: 512 };

/** The TLS part of a port, between the TCP server and the HTTP servers. */
interface TlsLayer {
  readonly handshakes: Handshakes;
  readonly contexts: TlsContexts;
  /** Does not listen itself: `handshakes` passes connections to it. */
  readonly server: TlsServer;
}

/**
 * One TLS port for HTTP/2 and HTTP/1.1. ALPN selects the protocol, and both use the same handler. Client certificates are requested but not
 * required; the authenticators verify them. Without TLS the port serves HTTP/1.1.
 */
export class Listener {
  readonly #tcp: TcpServer;
  readonly #tls: TlsLayer | undefined;
  readonly #http1: Http1Server;
  readonly #http2: Http2Server;
  /** All connections, including those whose handshake is in progress. */
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #options: ListenerOptions;

  constructor(options: ListenerOptions) {
    this.#options = options;
    const { handler } = options;
    this.#http1 = createHttp1Server({ handler, connectionOf, maxHeaderBytes, headTimeoutMs, idleTimeoutMs });
    this.#http2 = createHttp2({
      settings: {
        maxConcurrentStreams: options.maxConcurrentStreams ?? 250,
        maxHeaderListSize: maxHeaderBytes,
        initialWindowSize: 256 * 1024,
      },
      // In megabytes. API clients use few connections with many streams.
      maxSessionMemory: 64,
      maxSessionInvalidFrames: maxBadFrames,
      maxSessionRejectedStreams: maxBadFrames,
    });
    this.#http2.on('session', (session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
      session.on('error', () => session.destroy());
      closeWhenIdle(session);
    });
    this.#http2.on(
      'stream',
      (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, rawHeaders: string[]) =>
        serveStream(stream, headers, flags, rawHeaders, connectionOf(stream.session?.socket), handler),
    );
    this.#tls = options.tls && this.#newTlsLayer(options.tls);
    this.#tcp = createTcp({ noDelay: true, allowHalfOpen: true, keepAlive: true, keepAliveInitialDelay }, (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      if (this.#tls) this.#tls.handshakes.add(socket);
      else this.#http1.emit('connection', socket);
    });
  }

  /** Starts listening. Resolves with the address; rejects with the operating system's error. */
  listen(): Promise<AddressInfo> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#tcp.once('error', reject);
      this.#tcp.listen({ host, port }, () => {
        this.#tcp.off('error', reject);
        // The HTTP/1.1 server does not listen itself, and starts its connection timeouts only on this event.
        this.#http1.emit('listening');
        const address = this.#tcp.address();
        if (typeof address === 'object' && address) resolve(address);
        else reject(new Error('the listener has no address'));
      });
    });
  }

  /** Replaces the certificate for new connections. Throws an Error when it cannot be used, or when the port has no TLS. */
  setCertificate({ cert, key }: Pick<TlsOptions, 'cert' | 'key'>): void {
    this.#update({ cert, key });
  }

  /** Replaces the client CAs that are named in new handshakes. Throws like `setCertificate`. */
  setClientCAs(clientCAs: NonNullable<TlsOptions['clientCAs']>): void {
    this.#update({ clientCAs });
  }

  /** Stops accepting connections and tells clients to close theirs. Requests in progress may finish until `force` is called. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#tcp.close(() => resolve()));
    this.#tls?.handshakes.clear();
    this.#http1.close();
    // Idle connections close right after their last response.
    this.#http1.keepAliveTimeout = 1;
    for (const session of this.#sessions) session.close();
    await closed;
  }

  /** Destroys all remaining connections. */
  force(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  #newTlsLayer(options: TlsOptions): TlsLayer {
    const contexts = new TlsContexts(options);
    const server = createTls({
      ...contexts.main,
      ...(contexts.hasNames && {
        SNICallback: (name: string, use: SniAnswer) => use(null, contexts.forName(name)),
      }),
      ALPNProtocols: this.#options.http1Only ? ['http/1.1'] : ['h2', 'http/1.1'],
      requestCert: true,
      rejectUnauthorized: false,
    });
    const handshakes = new Handshakes(handshakeLimits, (socket) => server.emit('connection', socket));
    server.on('secureConnection', (socket) => {
      handshakes.finish(socket);
      socket.on('error', () => socket.destroy());
      (socket.alpnProtocol === 'h2' ? this.#http2 : this.#http1).emit('connection', socket);
    });
    // A failed handshake is the client's problem. Node closes the connection.
    server.on('tlsClientError', () => {});
    return { handshakes, contexts, server };
  }

  #update(options: Partial<TlsOptions>): void {
    if (!this.#tls) throw new Error('the port does not use TLS');
    const { contexts, server } = this.#tls;
    contexts.update(options);
    server.setSecureContext(contexts.main);
  }
}

type SniAnswer = (error: null, context?: SecureContext) => void;

/** Closes the session when it is idle. Open streams prevent that: a watch may be silent for a long time. */
function closeWhenIdle(session: ServerHttp2Session): void {
  let open = 0;
  const onStreamClose = (): void => {
    open--;
  };
  session.on('stream', (stream) => {
    open++;
    stream.once('close', onStreamClose);
  });
  session.setTimeout(idleTimeoutMs, () => {
    if (open === 0) session.close();
  });
}

const connections = new WeakMap<object, Connection>();

/** Returns the Connection of a socket, the same object for all its requests. Certificates are read on first use. */
function connectionOf(socket: unknown): Connection {
  if (typeof socket !== 'object' || socket === null) return gone;
  // For HTTP/2 sessions the socket is a proxy with the socket's properties. It is the same object for all streams.
  let connection = connections.get(socket);
  if (!connection) {
    connection = new SocketConnection(socket as Socket | TLSSocket);
    connections.set(socket, connection);
  }
  return connection;
}

const gone: Connection = { remoteAddress: '', protocol: 'HTTP/2.0', clientCertificates: [] };

class SocketConnection implements Connection {
  readonly remoteAddress: string;
  readonly protocol: Connection['protocol'];
  readonly #socket: Socket | TLSSocket;
  #certificates: readonly Uint8Array[] | undefined;

  constructor(socket: Socket | TLSSocket) {
    this.#socket = socket;
    this.remoteAddress = socket.remoteAddress ?? '';
    this.protocol = isTls(socket) && socket.alpnProtocol === 'h2' ? 'HTTP/2.0' : 'HTTP/1.1';
  }

  get clientCertificates(): readonly Uint8Array[] {
    this.#certificates ??= isTls(this.#socket) ? certificatesOf(this.#socket) : [];
    return this.#certificates;
  }
}

const isTls = (socket: Socket | TLSSocket): socket is TLSSocket => 'encrypted' in socket;

/** Limit on the length of certificate chains; legitimate chains are shorter. */
const maxChain = 10;

function certificatesOf(socket: TLSSocket): Uint8Array[] {
  const chain: Uint8Array[] = [];
  let certificate = socket.getPeerCertificate(true);
  while (certificate?.raw && chain.length < maxChain) {
    chain.push(certificate.raw);
    if (certificate.issuerCertificate === certificate) break;
    certificate = certificate.issuerCertificate;
  }
  return chain;
}
