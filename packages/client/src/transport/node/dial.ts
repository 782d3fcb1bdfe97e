import { type ConnectOpts, connect as connectTcp, isIP, type Socket } from 'node:net';
import type { ConnectionOptions, SecureContext, TLSSocket } from 'node:tls';
import type { Clock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import { TransportError } from '../transport.ts';
import { nodeTls } from './node-tls.ts';
import { openTunnel } from './proxy-tunnel.ts';
import type { SocketReader } from './socket-reader.ts';

/** Go's dialer has the same: as long may a connection take, and as long be silent before the kernel asks for its peer. */
const connectTimeoutMs = 30_000;
const keepAliveMs = 30_000;
const handshakeTimeoutMs = 10_000;

/** Where a connection goes, and by which way. */
export interface DialTarget {
  readonly host: string;
  readonly port: number;
  /** Absent for plain HTTP. */
  readonly tls: DialTls | undefined;
  /** `http:`, `https:` or `socks5:`, with the user's name and password if it needs them. */
  readonly proxy: URL | undefined;
}

interface DialTls {
  readonly context: SecureContext;
  /** The name that the server's certificate must have, when it is not the host's. */
  readonly serverName: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
}

export interface DialOptions {
  /** Protocols to offer, the best first. */
  readonly alpn: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Reads what comes, where the way to the server allows it. */
  readonly reader?: SocketReader;
}

/**
 * Opens a connection, through a proxy where there is one, with TLS where it is wanted. Rejects with a `TransportError`
 * of which nothing was sent, or with the signal's reason; no socket is left then.
 */
export async function dial(target: DialTarget, options: DialOptions): Promise<Socket> {
  const { tls, proxy } = target;
  if (tls && !proxy && options.reader) return await connectTls(target, tls, options.reader, options);
  const socket = await connect(target, options);
  return tls ? await secure(socket, target, tls, options) : socket;
}

/** In one step: only so can a socket with TLS have a reader. */
async function connectTls(
  target: DialTarget,
  tls: DialTls,
  { onread }: SocketReader,
  options: DialOptions,
): Promise<TLSSocket> {
  options.signal.throwIfAborted();
  const { host, port } = target;
  // Node's types do not have `onread` here, its documentation does.
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
  // What is not encrypted, an HTTP proxy takes as it is (`requestTarget` names the server).
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
    // An address may not be asked for by SNI.
    servername: isIP(name) ? '' : name,
    rejectUnauthorized: !tls.insecureSkipTlsVerify,
    checkServerIdentity: (_, certificate) => nodeTls().checkServerIdentity(name, certificate),
    ALPNProtocols: [...alpn],
  };
}

/** Resolves with the socket at the event; rejects, the socket gone, when that does not come in time. */
function opened<S extends Socket>(socket: S, event: string, timeoutMs: number, options: DialOptions): Promise<S> {
  return guarded(socket, timeoutMs, options, new Promise((resolve) => socket.once(event, () => resolve(socket))));
}

/** Waits for what is done with the socket; rejects, the socket gone, when that, the socket, the time or the signal fails. */
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
      // Errors that come after the end concern nobody.
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

/** The system's word for what went wrong. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Without the brackets of an IPv6 address. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');
