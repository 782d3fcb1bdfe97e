import type { ClientHttp2Session, ClientHttp2Stream, connect, IncomingHttpHeaders } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Clock, Timer } from '../../clock/clock.ts';
import { ChunkQueue } from '../chunk-queue.ts';
import { onAbort } from '../on-abort.ts';
import { TransportError, type TransportRequest, type TransportResponse } from '../transport.ts';
import type { RequestDefaults } from './connection-pool.ts';
import { codeOf } from './dial.ts';

/** After so much silence the server is asked whether it is there, and has so long to answer: client-go's figures. */
const pingAfterMs = 30_000;
const pingTimeoutMs = 15_000;
const longestFreeMs = 90_000;
/** Requests at a time until the server has said how many it takes, and in any case. */
const firstStreams = 100;
const mostStreams = 1000;
/** What may be under way to us: on one stream, whose reader may be slow, and on all, which it must not stop. */
const streamWindow = 1024 * 1024;
const connectionWindow = 1024 * 1024 * 1024;

const codes = { noError: 0, refusedStream: 7, cancel: 8 };

export interface Http2ConnectionOwner {
  /** It is no more. Called once. */
  onGone(connection: Http2Connection): void;
}

/** One HTTP/2 connection. Asks for signs of life, so that a dead one is found although nobody writes. */
export class Http2Connection {
  readonly #session: ClientHttp2Session;
  readonly #socket: TLSSocket;
  readonly #defaults: RequestDefaults;
  readonly #clock: Clock;
  #streams = 0;
  #maxStreams = firstStreams;
  /** It takes no more requests; those it has go on. */
  #isClosing = false;
  #timer: Timer | undefined;
  #bytesSeen = 0;

  constructor(
    socket: TLSSocket,
    options: {
      readonly connect: typeof connect;
      readonly defaults: RequestDefaults;
      readonly clock: Clock;
      readonly owner: Http2ConnectionOwner;
    },
  ) {
    this.#socket = socket;
    this.#defaults = options.defaults;
    this.#clock = options.clock;
    const session = options.connect(`https://${options.defaults.authority}`, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindow },
      maxSessionMemory: 256,
    });
    this.#session = session;
    session.setLocalWindowSize(connectionWindow);
    session.on('remoteSettings', ({ maxConcurrentStreams = mostStreams }) => {
      this.#maxStreams = Math.max(1, Math.min(maxConcurrentStreams, mostStreams));
    });
    session.on('goaway', () => {
      this.#isClosing = true;
    });
    // Every stream hears of it too.
    session.on('error', () => {});
    session.on('close', () => {
      this.#isClosing = true;
      this.#timer?.cancel();
      options.owner.onGone(this);
    });
    this.#watchOver();
  }

  get hasRoom(): boolean {
    return !this.#isClosing && this.#streams < this.#maxStreams;
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const { signal, body } = request;
      if (signal?.aborted) return reject(signal.reason);
      let stream: ClientHttp2Stream;
      try {
        stream = this.#session.request(this.#headers(request), { endStream: body === undefined || body.length === 0 });
      } catch (error) {
        if (error instanceof TypeError) return reject(error);
        return reject(broken(error, false));
      }
      this.#begin();
      if (body !== undefined && body.length > 0) stream.end(body);
      receive(stream, signal, resolve, reject, () => this.#end());
    });
  }

  /** Takes no more requests, and closes after the last. */
  retire(): void {
    this.#isClosing = true;
    this.#session.close();
  }

  destroy(reason: TransportError): void {
    this.#isClosing = true;
    this.#session.destroy(reason);
  }

  #headers({ method, url, headers, body }: TransportRequest): Record<string, string | string[]> {
    const all: Record<string, string | string[]> = {
      ':method': method,
      ':path': this.#defaults.prefix + url,
      ':authority': this.#defaults.authority,
      ...this.#defaults.headers,
      ...(body !== undefined && { 'content-length': String(body.length) }),
    };
    for (const name in headers) {
      const value = headers[name]!;
      all[name] =
        typeof value === 'string'
          ? recoded(value, 'utf8', 'latin1')
          : value.map((each) => recoded(each, 'utf8', 'latin1'));
    }
    return all;
  }

  #begin(): void {
    if (this.#streams++ === 0) {
      this.#session.ref();
      this.#watchOver();
    }
  }

  #end(): void {
    if (--this.#streams > 0) return;
    this.#session.unref();
    this.#watchOver();
  }

  /** While there are requests: pings after silence. Else: closes after a while. */
  #watchOver(): void {
    this.#timer?.cancel();
    if (this.#session.destroyed) return;
    if (this.#streams === 0)
      this.#timer = this.#clock.setTimeout(() => this.retire(), longestFreeMs, { background: true });
    else this.#timer = this.#clock.setTimeout(() => this.#ping(), pingAfterMs, { background: true });
  }

  #ping(): void {
    const hasSpoken = this.#socket.bytesRead !== this.#bytesSeen;
    this.#bytesSeen = this.#socket.bytesRead;
    if (hasSpoken) {
      this.#watchOver();
      return;
    }
    this.#timer = this.#clock.setTimeout(
      () => this.destroy(new TransportError('the server does not answer any more', { code: 'ETIMEDOUT' })),
      pingTimeoutMs,
    );
    this.#session.ping((error) => {
      if (!error) this.#watchOver();
    });
  }
}

/** Turns a stream's events into an answer. `done` is called once, when the stream is no more. */
function receive(
  stream: ClientHttp2Stream,
  signal: AbortSignal | undefined,
  resolve: (response: TransportResponse) => void,
  reject: (reason: unknown) => void,
  done: () => void,
): void {
  let body: ChunkQueue | undefined;
  let failure: unknown;
  let hasEnded = false;
  const unlink = onAbort(signal, () => {
    reject(signal?.reason);
    stream.close(codes.cancel);
  });
  stream.on('response', (headers) => {
    unlink();
    const queue = new ChunkQueue(signal);
    body = queue;
    queue.onClose(() => {
      // Servers take a reset after the end for an attack.
      if (!hasEnded) stream.close(codes.cancel);
    });
    stream.on('data', (chunk: Buffer) => {
      if (!queue.write(chunk)) stream.pause();
    });
    queue.onDrain(() => stream.resume());
    resolve({ status: headers[':status'] ?? 0, headers: received(headers), body: queue });
  });
  stream.on('end', () => {
    // A stream that is cut off also ends, but says that it was reset.
    if (stream.rstCode !== codes.noError) return;
    hasEnded = true;
    body?.end();
  });
  stream.on('error', (error) => {
    failure = error;
  });
  stream.on('close', () => {
    unlink();
    const reason = broken(failure, stream.rstCode !== codes.refusedStream);
    if (body) body.fail(reason);
    else reject(reason);
    done();
  });
}

function received(headers: IncomingHttpHeaders): TransportResponse['headers'] {
  const all: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(':') || value === undefined) continue;
    all[name] =
      typeof value === 'string'
        ? recoded(value, 'latin1', 'utf8')
        : value.map((each) => recoded(each, 'latin1', 'utf8'));
  }
  return all;
}

/** Headers are UTF-8 to API servers; Node takes a character for a byte. */
function recoded(value: string, from: 'utf8' | 'latin1', to: 'utf8' | 'latin1'): string {
  return /[^ -~]/.test(value) ? Buffer.from(value, from).toString(to) : value;
}

function broken(cause: unknown, mayHaveBeenSent: boolean): TransportError {
  if (cause instanceof TransportError) return cause;
  const message =
    cause instanceof Error ? cause.message : 'the server closed the connection before the end of its answer';
  const code = codeOf(cause);
  const isOurs = code === undefined || code.startsWith('ERR_HTTP2');
  return new TransportError(message, { code: isOurs ? 'ECONNRESET' : code, mayHaveBeenSent, cause });
}
