import { STATUS_CODES } from 'node:http';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { Socket } from 'node:net';
import { quote } from '@coxswain/apimachinery';
import { type RpcCode, RpcError, rpcCodeOf } from '@coxswain/grpc';
import { brokenError, textOf } from './connection-error.ts';
import { endsOf } from './start-tls.ts';

/** The longest response. Go's limit is 4 MB. */
const maxResponseBytes = 10 * 1024;
const prefixBytes = 5;

/**
 * A connection to a gRPC server without TLS, for one call. `@coxswain/grpc` is for servers on Unix sockets that are called again and again.
 */
export interface GrpcSession {
  /**
   * Calls a method with one message. Rejects with an RpcError with the texts of Go's client, or with the reason of the signal when it is
   * aborted.
   */
  call(request: GrpcRequest, signal: AbortSignal): Promise<Buffer>;
}

interface GrpcRequest {
  /** `/grpc.health.v1.Health/Check`. */
  readonly path: string;
  readonly message: Uint8Array;
  readonly userAgent: string;
}

/**
 * Makes a connection an HTTP/2 session. Resolves when the server has said that it speaks HTTP/2. Rejects if it does not, and with the reason
 * of the signal when it is aborted. The caller destroys the socket.
 */
export async function startGrpc(socket: Socket, authority: string, signal: AbortSignal): Promise<GrpcSession> {
  signal.throwIfAborted();
  const ends = endsOf(socket);
  const session = connect(`http://${authority}`, {
    createConnection: () => socket,
    settings: { enablePush: false },
    // In megabytes.
    maxSessionMemory: 1,
  });
  let broken: Error | undefined;
  const onBroken = (error: Error): void => {
    broken ??= error;
  };
  socket.on('error', onBroken);
  session.on('error', onBroken);
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      socket.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const settle = (settled: () => void) => (): void => {
      signal.removeEventListener('abort', onAbort);
      settled();
    };
    session.once('remoteSettings', settle(resolve));
    session.once(
      'close',
      settle(() => reject(broken ?? new Error('EOF'))),
    );
  });
  return {
    call: (request, signal) => call(session, { request, signal, connectionError: () => describe(broken, ends) }),
  };
}

const describe = (broken: Error | undefined, ends: string): string =>
  broken && textOf(broken, 'syscall') !== '' ? brokenError(broken, ends).message : 'EOF';

interface CallContext {
  readonly request: GrpcRequest;
  readonly signal: AbortSignal;
  readonly connectionError: () => string;
}

async function call(session: ClientHttp2Session, { request, signal, connectionError }: CallContext): Promise<Buffer> {
  signal.throwIfAborted();
  const stream = session.request({
    ':method': 'POST',
    ':path': request.path,
    'content-type': 'application/grpc',
    'user-agent': request.userAgent,
    te: 'trailers',
  });
  return await new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      signal.removeEventListener('abort', onAbort);
      reject(error);
      stream.destroy();
    };
    const onAbort = (): void => fail(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const response = new Response();
    stream.on('response', (headers, flags) => {
      const error = response.begin(headers, (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0);
      if (error) fail(error);
    });
    stream.on('data', (chunk: Buffer) => {
      const error = response.add(chunk);
      if (error) fail(error);
    });
    stream.on('trailers', (trailers) => response.end(trailers));
    // The reason is in the stream's code and in the session's error.
    stream.on('error', () => {});
    stream.on('close', () => {
      signal.removeEventListener('abort', onAbort);
      const isBroken = session.destroyed || session.closed;
      const result = response.result() ?? interrupted(stream, isBroken ? connectionError() : undefined);
      if (result instanceof RpcError) reject(result);
      else resolve(result);
    });
    stream.end(framed(request.message));
  });
}

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(prefixBytes + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, prefixBytes);
  return frame;
}

/** A response as it comes in. */
class Response {
  #hasBegun = false;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #trailers: IncomingHttpHeaders | undefined;

  /** Returns an error if it is no response of gRPC. */
  begin(headers: IncomingHttpHeaders & { readonly ':status'?: number }, isEnd: boolean): RpcError | undefined {
    const status = Number(headers[':status']);
    const type = headers['content-type'];
    if (!type?.startsWith('application/grpc')) {
      const reason =
        type === undefined
          ? 'malformed header: missing HTTP content-type'
          : `transport: received unexpected content-type ${quote(type)}`;
      return new RpcError(codeOfStatus.get(status) ?? 'Unknown', `${unexpectedStatus(status)}; ${reason}`);
    }
    this.#hasBegun = true;
    if (isEnd) this.end(headers);
    return undefined;
  }

  /** Returns an error if it gets too long. */
  add(chunk: Buffer): RpcError | undefined {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size <= maxResponseBytes) return undefined;
    const details = `grpc: received message larger than max (${this.#size} vs. ${maxResponseBytes})`;
    return new RpcError('ResourceExhausted', details);
  }

  end(trailers: IncomingHttpHeaders): void {
    this.#trailers = trailers;
  }

  /** Undefined if the response was interrupted. */
  result(): Buffer | RpcError | undefined {
    if (!this.#hasBegun) return undefined;
    const status = this.#trailers?.['grpc-status'];
    if (status === undefined) {
      return this.#trailers || this.#size > 0
        ? new RpcError('Internal', 'server closed the stream without sending trailers')
        : undefined;
    }
    if (status !== '0')
      return new RpcError(rpcCodeOf(Number(status)), percentDecoded(this.#trailers?.['grpc-message']));
    const body = Buffer.concat(this.#chunks);
    const length = body.length < prefixBytes ? -1 : body.readUInt32BE(1);
    if (length !== body.length - prefixBytes) return new RpcError('Internal', 'unexpected EOF');
    return body.subarray(prefixBytes);
  }
}

const codeOfStatus: ReadonlyMap<number, RpcCode> = new Map([
  [400, 'Internal'],
  [401, 'Unauthenticated'],
  [403, 'PermissionDenied'],
  [404, 'Unimplemented'],
  [429, 'Unavailable'],
  [502, 'Unavailable'],
  [503, 'Unavailable'],
  [504, 'Unavailable'],
]);

const unexpectedStatus = (status: number): string =>
  `unexpected HTTP status code received from server: ${status} (${STATUS_CODES[status] ?? ''})`;

function percentDecoded(message: string | string[] | undefined): string {
  const text = String(message ?? '');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Codes of RST_STREAM that are not Internal for gRPC. */
const codeOfReset: ReadonlyMap<number, RpcCode> = new Map([
  [constants.NGHTTP2_FLOW_CONTROL_ERROR, 'ResourceExhausted'],
  [constants.NGHTTP2_REFUSED_STREAM, 'Unavailable'],
  [constants.NGHTTP2_CANCEL, 'Canceled'],
  [constants.NGHTTP2_ENHANCE_YOUR_CALM, 'ResourceExhausted'],
  [constants.NGHTTP2_INADEQUATE_SECURITY, 'PermissionDenied'],
]);

const resetNames: readonly string[] = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
];

/** Returns the error of a call without a result. `broken` says why the connection ended, if it did. */
function interrupted({ rstCode = 0 }: ClientHttp2Stream, broken: string | undefined): RpcError {
  if (broken !== undefined) return new RpcError('Unavailable', `error reading from server: ${broken}`);
  const name = resetNames[rstCode] ?? String(rstCode);
  return new RpcError(
    codeOfReset.get(rstCode) ?? 'Internal',
    `stream terminated by RST_STREAM with error code: ${name}`,
  );
}
