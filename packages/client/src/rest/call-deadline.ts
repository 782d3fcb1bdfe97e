import { onAbort } from '@coxswain/apimachinery/abort';
import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import { type ResponseBody, TransportError } from '../transport/transport.ts';

/** Combines a call's signal and timeout into one signal. Call `release` at the end of the call. */
export class CallDeadline {
  readonly signal: AbortSignal | undefined;
  readonly #timer: Timer | undefined;
  readonly #unlink: (() => void) | undefined;
  /** The failure of the last attempt, used as the cause of a timeout. */
  lastFailure: unknown;

  constructor(clock: Clock, timeoutMs: number | undefined, outer: AbortSignal | undefined) {
    if (timeoutMs === undefined || timeoutMs <= 0) {
      this.signal = outer;
      return;
    }
    const controller = new AbortController();
    this.signal = controller.signal;
    this.#timer = clock.setTimeout(() => {
      const message = `the request was not answered within ${timeoutMs} ms`;
      controller.abort(new TransportError(message, { code: 'ETIMEDOUT', cause: this.lastFailure }));
    }, timeoutMs);
    if (outer?.aborted) controller.abort(outer.reason);
    this.#unlink = onAbort(outer, () => controller.abort(outer?.reason));
  }

  release(): void {
    this.#timer?.cancel();
    this.#unlink?.();
  }

  /** Cancels the timeout; the outer signal remains linked until the body has ended. */
  releaseAfter(body: ResponseBody): ResponseBody {
    this.#timer?.cancel();
    const unlink = this.#unlink;
    if (!unlink) return body;
    return {
      bytes: () => body.bytes().finally(unlink),
      async *chunks(options) {
        try {
          yield* body.chunks(options);
        } finally {
          unlink();
        }
      },
      cancel() {
        unlink();
        body.cancel();
      },
    };
  }
}
