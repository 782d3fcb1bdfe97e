import { constants } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { brokenError, ConnectionError, textOf } from './connection-error.ts';
import { hostPort } from './host-port.ts';

/** Made once, because making one takes milliseconds. */
let context: SecureContext | undefined;

/**
 * Containers have certificates of any kind, or old libraries, and nothing of them is verified. So this accepts what Go accepts: short keys
 * (OpenSSL's security level 0) and servers without secure renegotiation, but no TLS below 1.2.
 */
const anyServer = (): SecureContext => {
  context ??= createSecureContext({
    ca: [],
    ciphers: 'DEFAULT@SECLEVEL=0',
    minVersion: 'TLSv1.2',
    secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
  });
  return context;
};

/**
 * Resolves when the handshake of a new connection is done. Accepts every certificate. Rejects with a ConnectionError, or with the reason of
 * the signal when it is aborted. The caller destroys the socket of either kind.
 *
 * Differs from upstream: HTTP/2 is not offered.
 */
export async function startTls(socket: Socket, host: string, signal: AbortSignal): Promise<TLSSocket> {
  signal.throwIfAborted();
  const ends = endsOf(socket);
  let broken: Error | undefined;
  socket.on('error', (error) => {
    broken ??= error;
  });
  return await new Promise((resolve, reject) => {
    const secure = connect({
      socket,
      servername: isIP(host) === 0 ? host : '',
      secureContext: anyServer(),
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
    });
    const onAbort = (): void => {
      secure.destroy();
      reject(signal.reason);
    };
    const onError = (error: Error): void => {
      signal.removeEventListener('abort', onAbort);
      reject(handshakeError(error, broken, ends));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    // Errors after the first one are of no interest.
    secure.on('error', () => {});
    secure.once('error', onError);
    secure.once('secureConnect', () => {
      signal.removeEventListener('abort', onAbort);
      secure.off('error', onError);
      resolve(secure);
    });
  });
}

/** Returns the addresses of a connection, as Go prints them. */
export const endsOf = ({ localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0 }: Socket): string =>
  `${hostPort(localAddress, localPort)}->${hostPort(remoteAddress, remotePort)}`;

function handshakeError(error: Error, broken: Error | undefined, ends: string): ConnectionError {
  const options = { cause: error };
  if (broken || textOf(error, 'syscall')) return brokenError(broken ?? error, ends);
  const code = textOf(error, 'code');
  // The first bytes were not those of TLS; nearly always they are an error of HTTP.
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || /wrong version number/.test(error.message)) {
    return new ConnectionError('http: server gave HTTP response to HTTPS client', options);
  }
  if (code === 'ECONNRESET') return new ConnectionError('EOF', options);
  return new ConnectionError(tlsErrorText(error), options);
}

const alertTexts: ReadonlyMap<string, string> = new Map([
  ['protocol version', 'protocol version not supported'],
  ['certificate required', 'certificate required'],
  ['no application protocol', 'no application protocol'],
]);

/** Returns Go's text for what the other side did not like, or OpenSSL's for what this side did not. */
export function tlsErrorText(error: Error): string {
  const reason = textOf(error, 'reason') || error.message;
  const alert = /alert (.+)$/.exec(reason)?.[1] ?? (/^tlsv\d+ (unrecognized name)$/.exec(reason)?.[1] || undefined);
  return alert === undefined ? `tls: ${reason}` : `remote error: tls: ${alertTexts.get(alert) ?? alert}`;
}
