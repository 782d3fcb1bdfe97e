import { connect, isIP, type Socket } from 'node:net';
import { ConnectionError, dialError } from './connection-error.ts';
import { lookUp } from './look-up.ts';

/**
 * Opens a TCP connection. Rejects with a ConnectionError, or with the reason of the signal when it is aborted. The caller destroys the
 * socket, which has no listener for errors when this resolves.
 *
 * Differs from upstream: without a host it fails, where Go connects to the node itself.
 */
export async function dial(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  if (host === '') throw new ConnectionError(`dial tcp :${port}: missing address`);
  const addresses = isIP(host) === 0 ? await lookUp(host, signal) : undefined;
  signal.throwIfAborted();
  return await new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      noDelay: true,
      ...(addresses && { lookup: (_host, _options, found) => found(null, [...addresses]) }),
    });
    const onAbort = (): void => {
      socket.destroy();
      reject(signal.reason);
    };
    const onError = (error: Error): void => {
      signal.removeEventListener('abort', onAbort);
      reject(dialError(error, host, port));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', onError);
    socket.once('connect', () => {
      signal.removeEventListener('abort', onAbort);
      socket.off('error', onError);
      resolve(socket);
    });
  });
}
