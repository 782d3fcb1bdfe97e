import type { ApiResponse, ResponseSink } from '@coxswain/component-base/http';
import { type Filter, isLongRunning, type RequestState, type StateHandler, tooManyRequests } from '../filters/index.ts';
import type { FlowController } from './flow-controller.ts';
import type { FlowRequest } from './flow-request.ts';

interface PriorityAndFairnessOptions {
  readonly controller: FlowController;
  /** `--request-timeout`. A request waits for a quarter of it, but no more than a minute. */
  readonly requestTimeoutMs: number;
  readonly now: () => Date;
  /** Called for rejected requests. */
  readonly onRejected?: (state: RequestState) => void;
}

const maxWaitMs = 60_000;

/**
 * Executes requests by priority and fairness. With a free seat a request is executed synchronously; otherwise it is queued, or
 * rejected with a 429. It holds its seats until the response is sent, a watch until its initial events are sent. Other
 * long-running requests need no seats.
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

  /** Resolves to whether a queued request may execute. It is cancelled when the client disconnects or the wait times out. */
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

  /** Calls `next`, and calls `end` after the response, or after its body when that is streamed. */
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
    // A response that came after the deadline is never sent, so its stream does not end. Differs from upstream: a client that
    // is slow to read the initial events of a watch does not hold seats forever.
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
