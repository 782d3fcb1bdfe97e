import { onAbort } from '@coxswain/apimachinery/abort';
import { type EventLoop, fairTurn, systemEventLoop } from '@coxswain/apimachinery/turns';
import { openInProcessWebSocket } from '#default-transport';
import { ChunkQueue } from './chunk-queue.ts';
import type { Upgrade } from './node/web-socket/in-process-web-socket.ts';
import { bodyOf, joinChunks } from './response-body.ts';
import {
  type ResponseBody,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
  type WebSocketConnection,
  type WebSocketRequest,
} from './transport.ts';

/** A server in the same process as a function, such as `server.transport(user)` of `@coxswain/apiserver`. */
export type InProcessCall = (request: {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
}) => Promise<InProcessResponse>;

interface InProcessResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | readonly Uint8Array[] | { stream(sink: Sink): void } | Upgrade;
}

interface Sink {
  write(chunk: Uint8Array, sent?: () => void): boolean;
  readonly pendingBytes: number;
  onDrain(callback: () => void): void;
  onClose(callback: () => void): void;
  end(): void;
  destroy(): void;
}

export interface InProcessTransportOptions {
  /**
   * Whether an endless sequence of calls yields to the event loop; true by default. Without it, the behaviour does not
   * depend on the speed of the machine, which some tests need.
   */
  readonly fair?: boolean;
  /** The event loop to yield to; the thread's own by default. */
  readonly eventLoop?: EventLoop;
}

/**
 * Calls a server in the same process: without sockets and TLS, but with the server's whole handler chain from
 * authentication to storage. Sequences of calls yield to the event loop regularly.
 */
export class InProcessTransport implements Transport {
  readonly #call: InProcessCall;
  readonly #isFair: boolean;
  readonly #eventLoop: EventLoop;
  /** Requests and bodies in progress. */
  readonly #underWay = new Set<AbortController>();
  #closed: TransportError | undefined;

  constructor(call: InProcessCall, { fair = true, eventLoop = systemEventLoop }: InProcessTransportOptions = {}) {
    this.#call = call;
    this.#isFair = fair;
    this.#eventLoop = eventLoop;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const { method, url, body, signal } = request;
    this.#mustBeOpen();
    signal?.throwIfAborted();
    const { abort, done } = this.#begin(signal);
    try {
      const turn = this.#isFair ? fairTurn(this.#eventLoop) : undefined;
      if (turn) await turn;
      abort.signal.throwIfAborted();
      const call = this.#call({
        method,
        url,
        headers: flatHeaders(request.headers),
        ...(body && { body }),
        signal: abort.signal,
      });
      const response = await unlessAborted(call, abort.signal);
      const { status, headers } = response;
      return { status, headers, body: toBody(response.body, abort.signal, done) };
    } catch (error) {
      done();
      abort.signal.throwIfAborted();
      if (error instanceof TransportError) throw error;
      throw new TransportError('the server in this process failed', { cause: error });
    }
  }

  async openWebSocket(request: WebSocketRequest): Promise<WebSocketConnection> {
    this.#mustBeOpen();
    const { abort, done } = this.#begin(request.signal);
    try {
      return await openInProcessWebSocket({ ...request, signal: abort.signal }, async (upgrade) => {
        upgrade.signal.addEventListener('abort', done, { once: true });
        const { status, headers, body } = await this.#call(upgrade);
        if (body && 'upgrade' in body) return body;
        return { status, headers, body: await toBody(body, upgrade.signal, () => {}).bytes() };
      });
    } catch (error) {
      done();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed ??= new TransportError('the transport was closed', { mayHaveBeenSent: false });
    const reason = new TransportError('the transport was closed');
    for (const abort of this.#underWay) abort.abort(reason);
  }

  /** Returns a controller that is aborted with the signal or the transport. Call `done` when the request has ended. */
  #begin(signal: AbortSignal | undefined): { readonly abort: AbortController; readonly done: () => void } {
    const abort = new AbortController();
    const stop = onAbort(signal, () => abort.abort(signal?.reason));
    this.#underWay.add(abort);
    const done = (): void => {
      stop();
      this.#underWay.delete(abort);
    };
    return { abort, done };
  }

  #mustBeOpen(): void {
    if (this.#closed) throw this.#closed;
  }
}

/** Settles like `work`, but does not wait for a server that ignores the signal. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(stop);
  });
}

function flatHeaders(headers: TransportRequest['headers']): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name]!;
    flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}

/** Converts the body. `done` is called when it no longer listens to the signal. */
function toBody(body: InProcessResponse['body'], signal: AbortSignal, done: () => void): ResponseBody {
  if (body && 'stream' in body) {
    const queue = new ChunkQueue(signal);
    queue.onClose(done);
    body.stream(queue);
    return queue;
  }
  done();
  if (body === undefined) return bodyOf(new Uint8Array(0));
  if (body instanceof Uint8Array) return bodyOf(body);
  if (isChunks(body)) return bodyOf(joinChunks(body));
  throw new TransportError('the server tried to upgrade an ordinary request');
}

const isChunks = (body: object): body is readonly Uint8Array[] => Array.isArray(body);
