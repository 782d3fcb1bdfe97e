import { type Logger, silentLogger } from '@coxswain/apimachinery/log';
import { type EventLoop, nextTurn, systemEventLoop } from '@coxswain/apimachinery/turns';

/** What workers need of a queue: `RateLimitingQueue` and `PriorityQueue` are such. */
export interface WorkerQueue<T> {
  get(signal?: AbortSignal): Promise<T | undefined>;
  done(item: T): void;
  addAfter(item: T, delayMs: number, priority?: number): void;
  addRateLimited(item: T, priority?: number): void;
  forget(item: T): void;
  numRequeues(item: T): number;
  shutDown(): void;
  /** Where there are priorities: a retry keeps the one that the item had. */
  priorityOf?(item: T): number | undefined;
}

/** What a reconcile that went well may ask for. */
export interface ReconcileResult {
  /** Look at it again in so many milliseconds, even if nothing happens. Not above zero, this asks for nothing. */
  readonly requeueAfterMs?: number;
}

/** Brings the world to what the item asks for. What it throws is tried again, later and later. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function may answer in some cases and just end in others
export type Reconcile<T> = (item: T, signal: AbortSignal) => Promise<ReconcileResult | undefined | void>;

export interface WorkersOptions<T> {
  /** How many items are worked on at once. One by default. */
  readonly workers?: number;
  /** Ends it: the signal goes on to what is being worked on, and nothing new is begun. */
  readonly signal: AbortSignal;
  /** After so many retries an item is given up until it is added again. By default never. */
  readonly maxRetries?: number;
  /** Hears of every failure, so that none passes in silence. May be async. */
  readonly onError: (error: unknown, failure: ReconcileFailure<T>) => unknown;
  /** Hears when `onError` itself failed. */
  readonly logger?: Logger;
  /** Where others get their turn; the thread's own event loop by default. */
  readonly eventLoop?: EventLoop;
}

export interface ReconcileFailure<T> {
  readonly item: T;
  /** How often it had been tried again before. */
  readonly retries: number;
  /** False when it is given up. */
  readonly willRetry: boolean;
}

/**
 * Works on a queue's items until the signal is aborted or the queue is shut down; resolves when the last worker has ended,
 * and never rejects. No item is with two workers at once.
 *
 * - An item that went well is forgotten by the rate limiter; one that failed comes back rate limited, and the error goes
 *   to `onError`.
 * - After the signal: the queue is shut down, what is being worked on is waited for, what is queued is left.
 * - After `queue.shutDownWithDrain()`: all that is queued is still worked on.
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

/** Work that waits for nothing must not keep timers and sockets waiting, not least those that renew a leader's lease. */
const itemsPerTurn = 100;

async function work<T>(queue: WorkerQueue<T>, options: WorkersOptions<T>, reconcile: Reconcile<T>): Promise<void> {
  const { signal, eventLoop = systemEventLoop } = options;
  for (let items = 1; !signal.aborted; items++) {
    if (items % itemsPerTurn === 0) await nextTurn(eventLoop);
    // Not the signal: the queue's end is enough, and no listener comes and goes with each item.
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
    // Being told to stop is no failure.
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
