import { createServer as createHttp1, type Server as Http1Server } from 'node:http';
import {
  createServer as createHttp2,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTls, type SecureVersion, type TLSSocket, type Server as TlsServer } from 'node:tls';
import type { ApiHandler, Connection } from './handler.ts';
import { serveHttp1, serveUpgrade } from './http1.ts';
import { serveStream } from './http2.ts';

export interface ListenerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly tls: {
    readonly cert: string | Buffer;
    readonly key: string | Buffer;
    readonly minVersion?: SecureVersion;
    readonly ciphers?: string;
    /** Asked for by host name, the first of several; the certificate above serves all others. */
    readonly byName?: readonly {
      readonly names: readonly string[];
      readonly cert: string | Buffer;
      readonly key: string | Buffer;
    }[];
    /** Named to clients, so that they know which certificate to show. */
    readonly clientCAs?: readonly (string | Buffer)[];
  };
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

/**
 * One TLS port for HTTP/2 and HTTP/1.1. What the client and we agree on in the TLS handshake decides, and both end in
 * the same handler. Client certificates are asked for, never demanded, and judged by the authenticators.
 */
export class Listener {
  readonly #tls: TlsServer;
  readonly #http1: Http1Server;
  readonly #http2: Http2Server;
  /** All connections, also those whose handshake is under way. */
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #options: ListenerOptions;

  constructor(options: ListenerOptions) {
    this.#options = options;
    const { handler, tls } = options;
    this.#http1 = createHttp1({
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headTimeoutMs,
      keepAliveTimeout: idleTimeoutMs,
      // What takes long to arrive is the deadline's affair: proxies may upload for hours.
      requestTimeout: 0,
    });
    this.#http1.on('clientError', (error, socket) => refuse(error, socket));
    this.#http1.on('request', (request, response) =>
      serveHttp1(request, response, connectionOf(request.socket), handler),
    );
    this.#http1.on('upgrade', (request, socket, head) =>
      serveUpgrade(request, socket, head, connectionOf(request.socket), handler),
    );
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
    this.#tls = createTls({
      cert: tls.cert,
      key: tls.key,
      minVersion: tls.minVersion ?? 'TLSv1.2',
      ALPNProtocols: options.http1Only ? ['http/1.1'] : ['h2', 'http/1.1'],
      requestCert: true,
      rejectUnauthorized: false,
      handshakeTimeout: headTimeoutMs,
      ...(tls.ciphers && { ciphers: tls.ciphers }),
      ...(tls.clientCAs && { ca: [...tls.clientCAs] }),
    });
    // Of several contexts for a name Node takes the last.
    for (const { names, ...pair } of [...(tls.byName ?? [])].reverse())
      for (const name of names)
        this.#tls.addContext(name, {
          ...pair,
          minVersion: tls.minVersion ?? 'TLSv1.2',
          ...(tls.ciphers && { ciphers: tls.ciphers }),
        });
    this.#tls.on('connection', (socket: Socket) => this.#track(socket));
    this.#tls.on('secureConnection', (socket) => {
      this.#track(socket);
      socket.on('error', () => socket.destroy());
      socket.setNoDelay(true);
      (socket.alpnProtocol === 'h2' ? this.#http2 : this.#http1).emit('connection', socket);
    });
    // A handshake that fails is the client's affair.
    this.#tls.on('tlsClientError', () => {});
  }

  /** Resolves when it listens; throws what the operating system says against it. */
  listen(): Promise<AddressInfo> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#tls.once('error', reject);
      this.#tls.listen({ host, port }, () => {
        this.#tls.off('error', reject);
        // The server behind does not listen itself, but only then looks after its connections.
        this.#http1.emit('listening');
        const address = this.#tls.address();
        if (typeof address === 'object' && address) resolve(address);
        else reject(new Error('the listener has no address'));
      });
    });
  }

  /** Certificates were renewed: connections from now on see these. */
  setCertificate(tls: Pick<ListenerOptions['tls'], 'cert' | 'key'>): void {
    this.#tls.setSecureContext({ ...this.#options.tls, cert: tls.cert, key: tls.key });
  }

  /** Takes no more connections and tells clients to go elsewhere; what is under way may end until `force`. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#tls.close(() => resolve()));
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

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

/** Tells a client that does not speak HTTP what Go's server would, where it can still hear it. */
function refuse(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, reason] = refusals[error.code ?? ''] ?? [400, 'Bad Request'];
  const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n`;
  socket.end(`${head}${status} ${reason}`, () => socket.destroy());
}

const refusals: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Payload Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

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
    connection = new SocketConnection(socket as TLSSocket);
    connections.set(socket, connection);
  }
  return connection;
}

const gone: Connection = { remoteAddress: '', protocol: 'HTTP/2.0', clientCertificates: [] };

class SocketConnection implements Connection {
  readonly remoteAddress: string;
  readonly protocol: Connection['protocol'];
  readonly #socket: TLSSocket;
  #certificates: readonly Uint8Array[] | undefined;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    this.remoteAddress = socket.remoteAddress ?? '';
    this.protocol = socket.alpnProtocol === 'h2' ? 'HTTP/2.0' : 'HTTP/1.1';
  }

  get clientCertificates(): readonly Uint8Array[] {
    this.#certificates ??= certificatesOf(this.#socket);
    return this.#certificates;
  }
}

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
