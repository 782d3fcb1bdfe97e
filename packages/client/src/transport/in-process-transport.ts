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

/** A server in the same process, as a function: what `server.transport(user)` of `@coxswain/apiserver` is. */
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
   * Whether calls that follow each other without end give others a turn; they do by default. Without, what happens does not
   * depend on how fast the machine is, which some tests need.
   */
  readonly fair?: boolean;
  /** Where others get their turn; the thread's own event loop by default. */
  readonly eventLoop?: EventLoop;
}

/**
 * Calls a server in the same process: no socket and no TLS, yet the server's whole chain from authentication to storage. Calls
 * that follow each other without end let the event loop go around now and then.
 */
export class InProcessTransport implements Transport {
  readonly #call: InProcessCall;
  readonly #isFair: boolean;
  readonly #eventLoop: EventLoop;
  /** Requests and bodies that have not ended. */
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
      throw new TransportError('the server in this process failed to answer', { cause: error });
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

  /** What aborts a request with the signal or the transport; `done` when neither counts any more. */
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

/** A server that does not notice is not waited for. */
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

/** `done` is called when the signal is not listened to any more. */
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
  throw new TransportError('the server wants to take over a connection that there is not');
}

const isChunks = (body: object): body is readonly Uint8Array[] => Array.isArray(body);
