import type { ApiResponse, ResponseSink } from '@coxswain/component-base/http';
import { type Filter, isLongRunning, type RequestState, type StateHandler, tooManyRequests } from '../filters/index.ts';
import type { FlowController } from './flow-controller.ts';
import type { FlowRequest } from './flow-request.ts';

interface PriorityAndFairnessOptions {
  readonly controller: FlowController;
  /** `--request-timeout`: a quarter of it, but no more than a minute, is what a request waits. */
  readonly requestTimeoutMs: number;
  readonly now: () => Date;
  /** Hears of those that were sent away. */
  readonly onRejected?: (state: RequestState) => void;
}

const maxWaitMs = 60_000;

/**
 * Lets requests in by priority and fairness. With a seat free that takes no time; else they wait their turn, or are sent
 * away. A seat is held until the answer has been sent; a watch holds it until it has begun, and what else is long-running
 * has none.
 */
export function withPriorityAndFairness(options: PriorityAndFairnessOptions): Filter {
  const { controller } = options;
  const waitMs = Math.min(options.requestTimeoutMs / 4, maxWaitMs);
  const reject = (state: RequestState, { flow }: FlowRequest): ApiResponse => {
    const { dropped } = flow.level;
    dropped.record(Math.floor(options.now().getTime() / 1000));
    options.onRejected?.(state);
    return tooManyRequests(dropped.retryAfterSeconds);
  };
  return (next) => (state) => {
    const { info, user, query } = state;
    const isWatch = info.verb === 'watch';
    if (!isWatch && isLongRunning(info)) return next(state);
    const request = controller.start(user, info, query);
    state.flow = request.flow;
    const answer = isWatch ? watch : execute;
    if (request.phase === 'executing') return answer(next, state, request);
    if (request.phase === 'rejected') return Promise.resolve(reject(state, request));
    return waited(state, request).then((mayExecute) =>
      mayExecute ? answer(next, state, request) : reject(state, request),
    );
  };

  /** Leaves the queue at once when the client goes away. */
  async function waited({ request: { signal } }: RequestState, request: FlowRequest): Promise<boolean> {
    const giveUp = (): void => controller.cancel(request, 'time-out');
    const decided = new Promise<boolean>((resolve) => controller.onDecision(request, resolve));
    const timer = controller.clock.setTimeout(giveUp, waitMs, { background: true });
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    const mayExecute = await decided;
    timer.cancel();
    signal.removeEventListener('abort', giveUp);
    return mayExecute;
  }

  function execute(next: StateHandler, state: RequestState, request: FlowRequest): Promise<ApiResponse> {
    return held(next, state, request, () => controller.finish(request));
  }

  function watch(next: StateHandler, state: RequestState, request: FlowRequest): Promise<ApiResponse> {
    let forget: (() => void) | undefined = controller.watches.register(state.info);
    state.onWatchBegun = () => controller.finish(request);
    return held(next, state, request, () => {
      controller.finish(request);
      forget?.();
      forget = undefined;
    });
  }

  /** Ends with the answer, or with its body where that is sent piece by piece. */
  function held(next: StateHandler, state: RequestState, request: FlowRequest, end: () => void): Promise<ApiResponse> {
    return next(state).then(
      (response) => {
        const { body } = response;
        if (!body || !('stream' in body) || state.request.method === 'HEAD' || state.request.signal.aborted) {
          end();
          return response;
        }
        return { ...response, body: { stream: heldStream(body.stream, request, end) } };
      },
      (error) => {
        end();
        throw error;
      },
    );
  }

  function heldStream(stream: (sink: ResponseSink) => void, request: FlowRequest, end: () => void) {
    let isSent = false;
    // An answer may be too late to be sent at all. And, which differs from upstream, a watcher that takes its time over
    // the first events does not hold seats for ever.
    const late = (): void => (isSent ? controller.finish(request) : end());
    const timer = controller.clock.setTimeout(late, options.requestTimeoutMs, { background: true });
    return (sink: ResponseSink): void => {
      isSent = true;
      sink.onClose(() => {
        timer.cancel();
        end();
      });
      stream(sink);
      if (request.phase === 'done') timer.cancel();
    };
  }
}
