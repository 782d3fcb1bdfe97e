import { isConflict } from '@coxswain/apimachinery/errors';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import {
  deletionHandlingKey,
  metaNamespaceKey,
  type SharedIndexInformer,
  type SharedInformer,
  waitForCacheSync,
} from '@coxswain/client/informers';
import {
  type QueueRateLimiter,
  RateLimitingQueue,
  type Reconcile,
  type ReconcileFailure,
  type ReconcileResult,
  runWorkers,
} from '@coxswain/client/workqueue';
import type { Controller, ControllerContext } from './controller.ts';
import { Pace } from './pace.ts';

export interface ReconcileLoopOptions {
  /** The name of the queue, in metrics and log messages. */
  readonly name: string;
  /** How many keys are reconciled at the same time. */
  readonly workers?: number;
  /** Reconciling starts when the caches of these informers have synced. */
  readonly synced: readonly SharedInformer[];
  /** Brings one object to its desired state. The key is `namespace/name`, or `name` for cluster-scoped objects. */
  readonly reconcile: (key: string, signal: AbortSignal) => ReturnType<Reconcile<string>>;
  /** After this many retries a key is dropped until its object changes. By default a key is retried forever. */
  readonly maxRetries?: number;
  /** Delays between retries. By default the client's rate limiter for controllers. */
  readonly rateLimiter?: QueueRateLimiter;
}

/** The members of the controller's context that the loop uses. */
type LoopContext = Pick<ControllerContext, 'clock' | 'eventLoop' | 'metrics' | 'coalesceMs' | 'activity' | 'logger'>;

/**
 * Conflicts are normal: another client wrote first, and the next attempt sees that write. More than this many in a row are logged
 * as errors.
 */
const ordinaryConflicts = 3;

/** The common part of nearly all controllers: a queue of keys, workers that reconcile them, and retries with backoff. */
export class ReconcileLoop implements Controller {
  readonly queue: RateLimitingQueue<string>;
  readonly #options: ReconcileLoopOptions;
  readonly #context: LoopContext;
  readonly #pace: Pace;

  constructor(context: LoopContext, options: ReconcileLoopOptions) {
    const { clock, metrics, coalesceMs } = context;
    this.#context = context;
    this.#pace = new Pace(clock, coalesceMs);
    this.#options = options;
    const { name, rateLimiter } = options;
    this.queue = new RateLimitingQueue({ name, clock, metrics, ...(rateLimiter && { rateLimiter }) });
    context.activity.add(this.queue);
  }

  /**
   * Queues the object's key. If its last reconciliation began less than `coalesceMs` ago, the key is delayed, so that several
   * changes are reconciled together.
   */
  add(object: KubernetesObject): void {
    const key = metaNamespaceKey(object);
    const delayMs = this.#pace.delayOf(key);
    if (delayMs > 0) this.queue.addAfter(key, delayMs);
    else this.queue.add(key);
  }

  addAfter(object: KubernetesObject, delayMs: number): void {
    this.queue.addAfter(metaNamespaceKey(object), delayMs);
  }

  /**
   * Queues every object of the informer when it is added, updated or deleted. `onDelete` is called with the key before a deleted
   * object is queued.
   */
  follow<T extends KubernetesObject>(informer: SharedIndexInformer<T>, onDelete?: (key: string) => void): void {
    informer.addEventHandler({
      onAdd: (object) => this.add(object),
      onUpdate: (_, object) => this.add(object),
      onDelete: (deleted) => {
        const key = deletionHandlingKey(deleted);
        onDelete?.(key);
        this.queue.add(key);
      },
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { name, workers = 5, synced, reconcile, maxRetries } = this.#options;
    const { clock, eventLoop, logger } = this.#context;
    const debug = logger.v(4);
    try {
      await waitForCacheSync(signal, ...synced);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    await runWorkers(
      this.queue,
      {
        workers,
        signal,
        ...(eventLoop && { eventLoop }),
        ...(maxRetries !== undefined && { maxRetries }),
        onError: (error, failure) => this.#tell(error, failure),
      },
      async (key, abort) => {
        this.#pace.begin(key);
        const startMs = clock.monotonic();
        try {
          return await reconcile(key, abort);
        } finally {
          if (debug.enabled)
            debug.info('Finished syncing', { queue: name, key, durationMs: Math.round(clock.monotonic() - startMs) });
        }
      },
    );
  }

  #tell(error: unknown, { item, retries, willRetry }: ReconcileFailure<string>): void {
    const { logger } = this.#context;
    const { name } = this.#options;
    const fields = { queue: name, key: item };
    if (isConflict(error) && willRetry && retries < ordinaryConflicts)
      logger.v(2).info('Requeueing after a conflict', { ...fields, err: error });
    else logger.error('Failed to sync', error, fields);
  }
}

export type { ReconcileResult };
