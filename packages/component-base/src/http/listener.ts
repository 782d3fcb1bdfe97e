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
  /** 0 takes a free one. */
  readonly port: number;
  /** Absent: plain HTTP/1.1. */
  readonly tls?: TlsOptions;
  readonly handler: ApiHandler;
  /** Streams that one HTTP/2 connection may have open. */
  readonly maxConcurrentStreams?: number;
  /** No HTTP/2. */
  readonly http1Only?: boolean;
}

/** No header of a request, nor all of them together, may be longer; URLs count as one. */
const maxHeaderBytes = 128 * 1024;
/** So long a client may take for the handshake, and for the head of a request; upstream's. */
const headTimeoutMs = 32_000;
/** A connection on which nothing happens is closed after that; upstream's. */
const idleTimeoutMs = 90_000;
/** More frames that are against the protocol, or streams beyond the limit, end a connection. */
const maxBadFrames = 100;
const handshakeLimits: HandshakeLimits = { timeoutMs: headTimeoutMs, maxSilent: 4096, maxBegun: 512 };

/** What stands between the port and the servers where it speaks TLS. */
interface TlsLayer {
  readonly handshakes: Handshakes;
  readonly contexts: TlsContexts;
  /** Does not listen itself. */
  readonly server: TlsServer;
}

/**
 * One TLS port for HTTP/2 and HTTP/1.1. What the client and we agree on in the TLS handshake decides, and both end in
 * the same handler. Client certificates are asked for, never demanded, and judged by the authenticators. Without TLS it is a port
 * for HTTP/1.1.
 */
export class Listener {
  readonly #tcp: TcpServer;
  readonly #tls: TlsLayer | undefined;
  readonly #http1: Http1Server;
  readonly #http2: Http2Server;
  /** All connections, also those whose handshake is under way. */
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
      // Clients of the API hold few connections and many streams.
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
    this.#tcp = createTcp({ noDelay: true, allowHalfOpen: true }, (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      if (this.#tls) this.#tls.handshakes.add(socket);
      else this.#http1.emit('connection', socket);
    });
  }

  /** Resolves when it listens; throws what the operating system says against it. */
  listen(): Promise<AddressInfo> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#tcp.once('error', reject);
      this.#tcp.listen({ host, port }, () => {
        this.#tcp.off('error', reject);
        // The server behind does not listen itself, but only then looks after its connections.
        this.#http1.emit('listening');
        const address = this.#tcp.address();
        if (typeof address === 'object' && address) resolve(address);
        else reject(new Error('the listener has no address'));
      });
    });
  }

  /** Certificates were renewed: connections from now on see these. Throws an Error for what cannot be used. */
  setCertificate({ cert, key }: Pick<TlsOptions, 'cert' | 'key'>): void {
    this.#update({ cert, key });
  }

  /** The same for the authorities that clients are told of. */
  setClientCAs(clientCAs: NonNullable<TlsOptions['clientCAs']>): void {
    this.#update({ clientCAs });
  }

  /** Takes no more connections and tells clients to go elsewhere; what is under way may end until `force`. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#tcp.close(() => resolve()));
    this.#tls?.handshakes.clear();
    this.#http1.close();
    // Who gets an answer from now on need not stay for another one.
    this.#http1.keepAliveTimeout = 1;
    for (const session of this.#sessions) session.close();
    await closed;
  }

  /** Cuts every connection that is left. */
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
    // A handshake that fails is the client's affair; Node closes the connection.
    server.on('tlsClientError', () => {});
    return { handshakes, contexts, server };
  }

  #update(options: Partial<TlsOptions>): void {
    if (!this.#tls) throw new Error('the port does not speak TLS');
    const { contexts, server } = this.#tls;
    contexts.update(options);
    server.setSecureContext(contexts.main);
  }
}

type SniAnswer = (error: null, context?: SecureContext) => void;

/** Watches may be silent for long, and are no reason to be idle. */
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

/** One for all requests of a socket; the certificates are read when somebody asks. */
function connectionOf(socket: unknown): Connection {
  if (typeof socket !== 'object' || socket === null) return gone;
  // HTTP/2 sessions give a proxy of their socket; it has the socket's properties, and is always the same.
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

/** No chain is longer that anybody means well with. */
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
