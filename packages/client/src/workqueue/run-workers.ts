import { type Logger, silentLogger } from '@coxswain/apimachinery/log';
import { type EventLoop, nextTurn, systemEventLoop } from '@coxswain/apimachinery/turns';

/** The methods that workers need of a queue. `RateLimitingQueue` and `PriorityQueue` have them. */
export interface WorkerQueue<T> {
  get(signal?: AbortSignal): Promise<T | undefined>;
  done(item: T): void;
  addAfter(item: T, delayMs: number, priority?: number): void;
  addRateLimited(item: T, priority?: number): void;
  forget(item: T): void;
  numRequeues(item: T): number;
  shutDown(): void;
  /** For queues with priorities: a retry keeps the item's priority. */
  priorityOf?(item: T): number | undefined;
}

/** The result of a successful reconcile. */
export interface ReconcileResult {
  /** Process the item again after this time, even without a change. Ignored if not positive. */
  readonly requeueAfterMs?: number;
}

/** Reconciles the actual state with the desired state of the item. Errors are retried with backoff. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function may return a result in some cases and nothing in others
export type Reconcile<T> = (item: T, signal: AbortSignal) => Promise<ReconcileResult | undefined | void>;

export interface WorkersOptions<T> {
  /** Number of items processed concurrently. One by default. */
  readonly workers?: number;
  /** Stops the workers: it is passed to the running reconciles, and no new one is started. */
  readonly signal: AbortSignal;
  /** Maximum number of retries of an item, after which it is dropped until it is added again. Unlimited by default. */
  readonly maxRetries?: number;
  /** Called for every failure; required, so that none is ignored. May be async. */
  readonly onError: (error: unknown, failure: ReconcileFailure<T>) => unknown;
  /** Logs errors of `onError` itself. */
  readonly logger?: Logger;
  /** The event loop to yield to; the thread's own by default. */
  readonly eventLoop?: EventLoop;
}

export interface ReconcileFailure<T> {
  readonly item: T;
  /** Number of earlier retries. */
  readonly retries: number;
  /** False when the item is dropped. */
  readonly willRetry: boolean;
}

/**
 * Processes a queue's items until the signal is aborted or the queue is shut down. Resolves when the last worker has ended;
 * never rejects. No item is processed by two workers at the same time.
 *
 * - An item that succeeded is forgotten by the rate limiter; one that failed is added rate limited, and the error is passed
 *   to `onError`.
 * - On abort, the queue is shut down, running reconciles are awaited, and queued items are left.
 * - After `queue.shutDownWithDrain()`, all queued items are still processed.
 */
export async function runWorkers<T>(
  queue: WorkerQueue<T>,
  options: WorkersOptions<T>,
  reconcile: Reconcile<T>,
): Promise<void> {
  const { workers = 1, signal } = options;
  const onAbort = (): void => queue.shutDown();
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.all(Array.from({ length: workers }, () => work(queue, options, reconcile)));
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Number of items after which a worker yields to the event loop, so that reconciles without I/O do not starve timers
 * and sockets, for example those that renew a leader's lease.
 */
const itemsPerTurn = 100;

async function work<T>(queue: WorkerQueue<T>, options: WorkersOptions<T>, reconcile: Reconcile<T>): Promise<void> {
  const { signal, eventLoop = systemEventLoop } = options;
  for (let items = 1; !signal.aborted; items++) {
    if (items % itemsPerTurn === 0) await nextTurn(eventLoop);
    // Without the signal: shutting down the queue suffices, and avoids a listener per item.
    const item = await queue.get();
    if (item === undefined) return;
    try {
      if (!signal.aborted) await workOn(item, queue, options, reconcile);
    } finally {
      queue.done(item);
    }
  }
}

async function workOn<T>(
  item: T,
  queue: WorkerQueue<T>,
  { signal, maxRetries = Number.POSITIVE_INFINITY, onError, logger = silentLogger }: WorkersOptions<T>,
  reconcile: Reconcile<T>,
): Promise<void> {
  const priority = queue.priorityOf?.(item);
  try {
    const result = await reconcile(item, signal);
    queue.forget(item);
    const { requeueAfterMs = 0 } = result ?? {};
    if (requeueAfterMs > 0) queue.addAfter(item, requeueAfterMs, priority);
  } catch (error) {
    // An abort is not a failure.
    if (signal.aborted) return;
    const retries = queue.numRequeues(item);
    const willRetry = retries < maxRetries;
    if (willRetry) queue.addRateLimited(item, priority);
    else queue.forget(item);
    try {
      await onError(error, { item, retries, willRetry });
    } catch (handlerError) {
      logger.error('The error handler of a work queue failed', handlerError, { item, itemErr: error });
    }
  }
}
