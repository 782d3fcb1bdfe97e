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
  /** Of the queue: for metrics and messages. */
  readonly name: string;
  /** How many keys are worked on at once. */
  readonly workers?: number;
  /** Nothing is done before the caches of these are complete. */
  readonly synced: readonly SharedInformer[];
  /** Brings one object (`namespace/name`, or `name`) to what it asks for. */
  readonly reconcile: (key: string, signal: AbortSignal) => ReturnType<Reconcile<string>>;
  /** After so many retries a key is given up until something happens to it. By default never. */
  readonly maxRetries?: number;
  /** How long what failed waits; the default of controllers where there is none. */
  readonly rateLimiter?: QueueRateLimiter;
}

/** What it needs of that of its controller. */
type LoopContext = Pick<ControllerContext, 'clock' | 'eventLoop' | 'metrics' | 'coalesceMs' | 'activity' | 'logger'>;

/** Somebody was faster: that happens in every cluster, and the next try sees what they wrote. More than these in a row tell of something else. */
const ordinaryConflicts = 3;

/** What nearly every controller is: a queue of keys, workers that reconcile them, retries that wait longer and longer. */
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

  /** Of what was just worked on, what comes in short succession is worked on together. */
  add(object: KubernetesObject): void {
    const key = metaNamespaceKey(object);
    const delayMs = this.#pace.delayOf(key);
    if (delayMs > 0) this.queue.addAfter(key, delayMs);
    else this.queue.add(key);
  }

  addAfter(object: KubernetesObject, delayMs: number): void {
    this.queue.addAfter(metaNamespaceKey(object), delayMs);
  }

  /** Reconciles every object of the informer when it comes, changes and goes; `onDelete` is told before, by its key. */
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
