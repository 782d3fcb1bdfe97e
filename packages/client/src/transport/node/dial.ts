import { type ConnectOpts, connect as connectTcp, isIP, type Socket } from 'node:net';
import type { ConnectionOptions, SecureContext, TLSSocket } from 'node:tls';
import type { Clock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import { TransportError } from '../transport.ts';
import { nodeTls } from './node-tls.ts';
import { openTunnel } from './proxy-tunnel.ts';
import type { SocketReader } from './socket-reader.ts';

/** Connect timeout and TCP keep-alive interval, the same as in Go's dialer. */
const connectTimeoutMs = 30_000;
const keepAliveMs = 30_000;
const handshakeTimeoutMs = 10_000;

/** The destination of a connection, and the proxy to use. */
export interface DialTarget {
  readonly host: string;
  readonly port: number;
  /** Absent for plain HTTP. */
  readonly tls: DialTls | undefined;
  /** `http:`, `https:` or `socks5:`, with user name and password if needed. */
  readonly proxy: URL | undefined;
}

interface DialTls {
  readonly context: SecureContext;
  /** The name to verify in the server's certificate, when it is not the host's. */
  readonly serverName: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
}

export interface DialOptions {
  /** Protocols to offer, in order of preference. */
  readonly alpn: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Reads from the socket, if the kind of connection supports that. */
  readonly reader?: SocketReader;
}

/**
 * Opens a connection, through a proxy if there is one, and with TLS if required. Rejects with a `TransportError` with
 * `mayHaveBeenSent: false`, or with the signal's reason; the socket is closed then.
 */
export async function dial(target: DialTarget, options: DialOptions): Promise<Socket> {
  const { tls, proxy } = target;
  if (tls && !proxy && options.reader) return await connectTls(target, tls, options.reader, options);
  const socket = await connect(target, options);
  return tls ? await secure(socket, target, tls, options) : socket;
}

/** Connects TCP and TLS in one step, because only then a TLS socket can have a reader. */
async function connectTls(
  target: DialTarget,
  tls: DialTls,
  { onread }: SocketReader,
  options: DialOptions,
): Promise<TLSSocket> {
  options.signal.throwIfAborted();
  const { host, port } = target;
  // Node documents `onread` here, but its types lack it.
  const withReader: ConnectionOptions & ConnectOpts = { host, port, onread, ...tlsOptions(target, tls, options) };
  const socket = nodeTls().connect(withReader);
  await opened(socket, 'connect', connectTimeoutMs, options);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, keepAliveMs);
  return await opened(socket, 'secureConnect', handshakeTimeoutMs, options);
}

async function connect(target: DialTarget, options: DialOptions): Promise<Socket> {
  const { proxy } = target;
  if (!proxy) return await tcp(target.host, target.port, options);
  const secureProxy = proxy.protocol === 'https:';
  const host = bareHost(proxy.hostname);
  const port = Number(proxy.port) || (proxy.protocol.startsWith('socks') ? 1080 : secureProxy ? 443 : 80);
  const plain = await tcp(host, port, options);
  const way = secureProxy
    ? await opened(
        nodeTls().connect({ socket: plain, host, servername: isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'] }),
        'secureConnect',
        handshakeTimeoutMs,
        options,
      )
    : plain;
  // Plain HTTP requests are forwarded by an HTTP proxy without a tunnel (`RequestDefaults.prefix` names the server).
  if (!target.tls && proxy.protocol.startsWith('http')) return way;
  return await guarded(way, connectTimeoutMs, options, openTunnel(way, proxy, target));
}

function tcp(host: string, port: number, options: DialOptions): Promise<Socket> {
  options.signal.throwIfAborted();
  const socket = connectTcp({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: keepAliveMs,
  });
  return opened(socket, 'connect', connectTimeoutMs, options);
}

function secure(socket: Socket, target: DialTarget, tls: DialTls, options: DialOptions): Promise<TLSSocket> {
  const secured = nodeTls().connect({ socket, ...tlsOptions(target, tls, options) });
  return opened(secured, 'secureConnect', handshakeTimeoutMs, options);
}

function tlsOptions({ host }: DialTarget, tls: DialTls, { alpn }: DialOptions): ConnectionOptions {
  const name = tls.serverName ?? host;
  return {
    secureContext: tls.context,
    // SNI does not allow IP addresses.
    servername: isIP(name) ? '' : name,
    rejectUnauthorized: !tls.insecureSkipTlsVerify,
    checkServerIdentity: (_, certificate) => nodeTls().checkServerIdentity(name, certificate),
    ALPNProtocols: [...alpn],
  };
}

/** Resolves with the socket at the event. Rejects and destroys the socket on failure, timeout or abort. */
function opened<S extends Socket>(socket: S, event: string, timeoutMs: number, options: DialOptions): Promise<S> {
  return guarded(socket, timeoutMs, options, new Promise((resolve) => socket.once(event, () => resolve(socket))));
}

/**
 * Waits for `work` on the socket. Rejects and destroys the socket when the work or the socket fails, on timeout, and on
 * abort.
 */
function guarded<S extends Socket, T>(
  socket: S,
  timeoutMs: number,
  { clock, signal }: DialOptions,
  work: Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      timer.cancel();
      signal.removeEventListener('abort', onAbort);
      socket.off('error', onError);
      socket.off('close', onClose);
    };
    const fail = (reason: unknown): void => {
      settle();
      // Ignores errors after destruction.
      socket.on('error', () => {});
      socket.destroy();
      reject(reason);
    };
    const onAbort = (): void => fail(signal.reason);
    const onError = (error: Error): void => fail(notConnected(error.message, error));
    const onClose = (): void => fail(notConnected('the connection was closed before it was ready'));
    const timer = clock.setTimeout(
      () => fail(notConnected('connecting took too long', undefined, 'ETIMEDOUT')),
      timeoutMs,
    );
    socket.once('error', onError);
    socket.once('close', onClose);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    work.then(
      (value) => {
        settle();
        resolve(value);
      },
      (error: unknown) => fail(error instanceof TransportError ? error : notConnected(messageOf(error), error)),
    );
  });
}

function notConnected(message: string, cause?: unknown, code = codeOf(cause)): TransportError {
  return new TransportError(message, { mayHaveBeenSent: false, ...(code !== undefined && { code }), cause });
}

/** The system's error code. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The host name without the brackets of an IPv6 address. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');
