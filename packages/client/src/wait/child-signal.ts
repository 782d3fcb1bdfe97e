import { type Clock, systemClock } from '@coxswain/apimachinery/clock';

export interface ChildSignalOptions {
  readonly parent?: AbortSignal | undefined;
  /** Aborts after this time, with the reason that `onTimeout` returns. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock;
  /** Returns the reason of the timeout; by default a `TimeoutError`. */
  readonly onTimeout?: () => unknown;
}

/** A signal that is aborted with its parent, after a timeout, or by `abort`. */
export interface ChildSignal {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Removes the timer and the listener on the parent. Must always be called when the signal is no longer needed. */
  dispose(): void;
}

/**
 * Creates a child signal. Unlike `AbortSignal.any` and `AbortSignal.timeout`, it uses the given clock and leaves
 * nothing behind on a long-lived parent.
 */
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

/** Settles like the promise, but rejects with the signal's reason if that is aborted first. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
