import { type Clock, systemClock, type Timer } from '@coxswain/apimachinery/clock';
import { RpcError, toRpcError } from './rpc-error.ts';
import type { AnyMethod, CallOptions, Calls, Handlers, ServeOptions, Service } from './service.ts';

/**
 * Calls handlers in this process with the semantics of calls over a socket: requests and responses are complete messages, failures are
 * RpcErrors, and aborts and deadlines end a call even when its handler ignores its signal. Nothing is encoded. `connection` ends the calls that
 * are in progress when it is closed.
 */
export function inProcess<Methods>(
  service: Service<Methods>,
  handlers: Handlers<Methods>,
  clock: Clock = systemClock,
  connection: InProcessConnection = new InProcessConnection(),
): Calls<Methods> {
  const calls: Partial<Record<keyof Methods, unknown>> = {};
  for (const key in service.methods) {
    const method = service.methods[key] as AnyMethod;
    const handler = handlers[key] as AnyHandler | undefined;
    const run =
      handler && ((request: object, call: Call) => handler.call(handlers, method.request.complete(request), call));
    const refuse = (): never => {
      throw unimplemented(service, method);
    };
    const start = run ?? refuse;
    const begin = (options: CallOptions): Call => connection.begin(options, clock);
    calls[key] = method.streams ? streamCall(method, start, begin) : unaryCall(method, start, begin);
  }
  return calls as Calls<Methods>;
}

type AnyHandler = (request: object, options: ServeOptions) => Promise<object> | AsyncIterable<object>;

export function unimplemented({ name }: Service<unknown>, method: AnyMethod): RpcError {
  return new RpcError('Unimplemented', `unknown method ${method.name} for service ${name}`);
}

type Start = (request: object, call: Call) => unknown;
type Begin = (options: CallOptions) => Call;

function unaryCall({ response }: AnyMethod, start: Start, begin: Begin) {
  return async (request: object, options: CallOptions = {}): Promise<object> => {
    const call = begin(options);
    try {
      return response.complete(await call.unlessEnded(start(request, call) as Promise<object>));
    } catch (error) {
      throw call.failureOf(error);
    } finally {
      call.end();
    }
  };
}

function streamCall({ response }: AnyMethod, start: Start, begin: Begin) {
  return async function* (request: object, options: CallOptions = {}): AsyncGenerator<object> {
    const call = begin(options);
    let answers: AsyncIterator<object> | undefined;
    try {
      answers = (start(request, call) as AsyncIterable<object>)[Symbol.asyncIterator]();
      for (;;) {
        const { done, value } = await call.unlessEnded(answers.next());
        if (done) return;
        yield response.complete(value);
      }
    } catch (error) {
      throw call.failureOf(error);
    } finally {
      // The handler may still be waiting: it gets the abort signal, and its end is not awaited.
      call.end();
      answers?.return?.().catch(() => {});
    }
  };
}

/** The calls in progress from one client to handlers in this process. */
export class InProcessConnection {
  readonly #calls = new Set<Call>();
  #isClosed = false;

  begin(options: CallOptions, clock: Clock): Call {
    const call = new Call(options, clock, () => this.#calls.delete(call));
    this.#calls.add(call);
    if (this.#isClosed) call.fail(closed());
    return call;
  }

  /** Ends all calls in progress, and all later ones. */
  close(): void {
    this.#isClosed = true;
    for (const call of this.#calls) call.fail(closed());
  }
}

const closed = (): RpcError => new RpcError('Canceled', 'grpc: the client connection is closing');

/** One call in progress: the signal for the handler, with the reason of an early end. */
class Call implements ServeOptions {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timer: Timer | undefined;
  readonly #onAbort = (): void => this.#controller.abort(this.#caller?.reason);

  readonly #onEnd: () => void;

  constructor({ signal, timeoutMs }: CallOptions, clock: Clock, onEnd: () => void) {
    signal?.throwIfAborted();
    this.#onEnd = onEnd;
    this.#caller = signal;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (timeoutMs !== undefined) {
      const late = new RpcError('DeadlineExceeded', 'context deadline exceeded');
      this.#timer = clock.setTimeout(() => this.#controller.abort(late), timeoutMs);
    }
  }

  fail(error: RpcError): void {
    this.#controller.abort(error);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  unlessEnded<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  /** Returns the reason of the caller's signal if the caller aborted, and an RpcError otherwise. */
  failureOf(error: unknown): unknown {
    return this.#caller?.aborted ? this.#caller.reason : toRpcError(error);
  }

  end(): void {
    this.#onEnd();
    this.#timer?.cancel();
    this.#caller?.removeEventListener('abort', this.#onAbort);
    if (!this.signal.aborted) this.#controller.abort(new RpcError('Canceled', 'context canceled'));
  }
}
