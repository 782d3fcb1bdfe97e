import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { quote } from '@coxswain/apimachinery';
import { brokenError, ConnectionError, textOf } from './connection-error.ts';
import { type HttpGetRequest, isHeaderName } from './http-get-request.ts';
import { endsOf, tlsErrorText } from './start-tls.ts';

/** The longest head of a response. Go's limit is 10 MB. */
const maxHeadBytes = 256 * 1024;
const transportBroken = 'net/http: HTTP/1.x transport connection broken:';

/** A response whose body has not been read. */
export interface HttpResponse {
  readonly statusCode: number;
  /** The Location header; empty if there is none. */
  readonly location: string;
  /**
   * Reads the body up to a limit. Rejects with a ConnectionError if it is incomplete, and with the reason of the signal if that is aborted.
   */
  readBody(limit: number, signal: AbortSignal): Promise<Buffer>;
}

/**
 * Sends a request over a new connection and resolves when the head of the response is there. The connection is for this request only, and
 * the caller destroys it. Rejects with a ConnectionError, or with the reason of the signal when it is aborted.
 */
export async function exchange(
  socket: Socket,
  { target, host, headers }: HttpGetRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  signal.throwIfAborted();
  const sent = checkedHeaders([['Host', host || target.host], ...headers]);
  const failure = watch(socket);
  return await new Promise((resolve, reject) => {
    const request = httpRequest({
      createConnection: () => socket,
      method: 'GET',
      path: target.requestTarget,
      headers: sent.flat(),
      maxHeaderSize: maxHeadBytes,
    });
    const onAbort = (): void => {
      socket.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const answer = (message: IncomingMessage, isUpgraded: boolean): void => {
      signal.removeEventListener('abort', onAbort);
      // Until the body is read, nobody else listens.
      message.on('error', () => {});
      resolve({
        statusCode: message.statusCode ?? 0,
        location: message.headers.location ?? '',
        readBody: (limit, signal) =>
          isUpgraded ? Promise.resolve(Buffer.alloc(0)) : readBody(message, { limit, signal, socket, failure }),
      });
    };
    request.on('response', (message) => answer(message, false));
    request.on('upgrade', (message) => answer(message, true));
    request.on('error', (error) => {
      signal.removeEventListener('abort', onAbort);
      reject(headError(error, failure));
    });
    request.end();
  });
}

/** Throws, in Go's words, for a header that would break the request. */
function checkedHeaders(headers: HttpGetRequest['headers']): string[][] {
  return headers.map(([name, value]) => {
    if (!isHeaderName(name)) throw new Error(`net/http: invalid header field name ${quote(name)}`);
    // Node writes each character as one byte.
    const bytes = Buffer.from(value).toString('latin1').trim();
    if (/[^\t\x20-\x7e\x80-\xff]/.test(bytes)) {
      throw new Error(`net/http: invalid header field value for ${quote(name)}`);
    }
    return [name, bytes];
  });
}

/** What Node's HTTP client does not say of a connection that broke. */
interface Failure {
  readonly ends: string;
  readonly bytesRead: () => number;
  /** Undefined if the other side closed the connection without an error. */
  error: Error | undefined;
}

function watch(socket: Socket): Failure {
  const failure: Failure = { ends: endsOf(socket), bytesRead: () => socket.bytesRead, error: undefined };
  socket.on('error', (error) => {
    failure.error ??= error;
  });
  return failure;
}

function headError(error: Error, failure: Failure): Error {
  const options = { cause: error };
  const code = textOf(error, 'code');
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ConnectionError(`net/http: server response headers exceeded ${maxHeadBytes} bytes; aborted`, options);
  }
  if (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE') {
    return new ConnectionError(`${transportBroken} ${malformed(error)}`, options);
  }
  const broken = connectionError(failure);
  if (broken) return broken;
  if (failure.bytesRead() === 0 || code === '') return new ConnectionError('EOF', options);
  return new ConnectionError(`${transportBroken} unexpected EOF`, options);
}

/** Undefined if the connection was closed in good order. */
function connectionError({ error, ends }: Failure): ConnectionError | undefined {
  if (!error) return undefined;
  if (textOf(error, 'syscall') !== '') return brokenError(error, ends);
  return /^ERR_SSL_/.test(textOf(error, 'code'))
    ? new ConnectionError(tlsErrorText(error), { cause: error })
    : undefined;
}

/** Returns Go's message for a response that is not HTTP. */
function malformed(error: Error): string {
  const packet: unknown = Reflect.get(error, 'rawPacket');
  const [line = ''] = Buffer.isBuffer(packet) ? packet.toString('latin1', 0, 1024).split(/\r?\n/, 1) : [];
  const [, protocol = '', status = ''] = /^([^ ]*) ([^ ]*)/.exec(line) ?? [];
  if (line === '' || protocol === '') return `malformed HTTP response ${quote(line)}`;
  if (!/^\d{3}$/.test(status)) return `malformed HTTP status code ${quote(status)}`;
  if (!/^HTTP\/\d\.\d$/.test(protocol)) return `malformed HTTP version ${quote(protocol)}`;
  return `malformed MIME header: ${error.message}`;
}

interface BodyContext {
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly socket: Socket;
  readonly failure: Failure;
}

function readBody(message: IncomingMessage, { limit, signal, socket, failure }: BodyContext): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (settled: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      settled();
    };
    const done = (): void => settle(() => resolve(Buffer.concat(chunks).subarray(0, limit)));
    const onAbort = (): void => {
      socket.destroy();
      settle(() => reject(signal.reason));
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    message.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size < limit) return;
      message.pause();
      done();
    });
    message.on('end', done);
    message.on('error', (error: Error) =>
      settle(() => reject(connectionError(failure) ?? new ConnectionError('unexpected EOF', { cause: error }))),
    );
  });
}
