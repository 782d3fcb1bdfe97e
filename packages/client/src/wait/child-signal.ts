import { type Clock, systemClock } from '@coxswain/apimachinery/clock';

export interface ChildSignalOptions {
  readonly parent?: AbortSignal | undefined;
  /** From now; the reason is then what `onTimeout` gives. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock;
  /** By default a `TimeoutError`. */
  readonly onTimeout?: () => unknown;
}

/** A signal of one's own that ends with another, after a time, or when it is told to. */
export interface ChildSignal {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Leaves neither a timer nor a listener at the parent. To be called in any case, when the signal has done its work. */
  dispose(): void;
}

/** Unlike `AbortSignal.any` and `timeout`, on any clock, and nothing stays with a parent that lives long. */
export function childSignal({ parent, timeoutMs, clock = systemClock, onTimeout }: ChildSignalOptions): ChildSignal {
  const controller = new AbortController();
  const onParent = (): void => abort(parent!.reason);
  const dispose = (): void => {
    timer?.cancel();
    parent?.removeEventListener('abort', onParent);
  };
  const abort = (reason?: unknown): void => {
    dispose();
    controller.abort(reason);
  };
  const timer =
    timeoutMs === undefined || parent?.aborted
      ? undefined
      : clock.setTimeout(() => abort(onTimeout ? onTimeout() : timeoutError()), timeoutMs);
  if (parent?.aborted) controller.abort(parent.reason);
  else parent?.addEventListener('abort', onParent, { once: true });
  return { signal: controller.signal, abort, dispose };
}

const timeoutError = (): DOMException => new DOMException('The operation timed out', 'TimeoutError');

/** What the promise gives, unless the signal is aborted first: then rejects with its reason. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
