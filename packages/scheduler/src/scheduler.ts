import { setMaxListeners } from 'node:events';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import {
  type Clock,
  type Logger,
  type Metrics,
  type RESTClient,
  stopRecorder,
  systemClock,
  waitForCacheSync,
} from '@coxswain/client';
import { assembleScheduler, type SchedulerParts } from './assemble-scheduler.ts';
import type { SchedulerConfiguration } from './config/types.ts';
import type { PluginDefinition } from './framework/handle.ts';

export interface SchedulerOptions {
  readonly rest: RESTClient;
  /** Default: the default scheduler's configuration. `parseConfiguration` and `completeConfiguration` create others. */
  readonly config?: SchedulerConfiguration;
  /** Plug-ins besides the in-tree ones. Profiles must enable them. */
  readonly plugins?: readonly PluginDefinition[];
  readonly clock?: Clock;
  /** Returns numbers in [0, 1). Used to choose among nodes with equal scores. */
  readonly random?: () => number;
  /** Used to yield to other tasks between pods. Default: that of the thread. */
  readonly eventLoop?: EventLoop;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** How long a pod waits for an event at most. Default 5 minutes. */
  readonly podMaxInUnschedulablePodsMs?: number;
  /** The host reported in events. Default: the name of this host. */
  readonly host?: string;
  /** Freezes cached objects, so that modifying one throws; for tests. */
  readonly freezeCaches?: boolean;
  /** Called when all caches are synced. */
  readonly onSynced?: () => void;
  /** Called when scheduling begins. */
  readonly onStarted?: () => void;
}

const cacheMetricsMs = 1000;

/**
 * Schedules the pods that name one of its profiles. It reads the cluster through informers and writes bindings, events and pod conditions.
 * It has no other state, so a new scheduler continues where a stopped one left off.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  #parts: SchedulerParts | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /**
   * Whether all work is done that is possible at the current time of the clock. Pods that wait in Permit or PreBind do not count. For
   * tests, which wait for it.
   */
  get isIdle(): boolean {
    return this.#parts !== undefined && isIdle(this.#parts);
  }

  /**
   * Schedules until the signal is aborted; resolves when all work in progress has ended. Rejects at once when the configuration is invalid.
   * Caches are synced at once, but scheduling begins only when `turn` resolves, for a scheduler that waits to become the leader.
   */
  async run(signal: AbortSignal, turn: Promise<void> = Promise.resolve()): Promise<void> {
    // Each informer and each request adds a listener.
    setMaxListeners(0, signal);
    const parts = assembleScheduler(this.#options);
    const { informers, registrations, loop, queue, held, bindings, failures, recorders, extenders } = parts;
    const { clock = systemClock } = this.#options;
    const measuring = measureCache(parts, clock);
    try {
      informers.start(signal);
      await waitForCacheSync(signal, ...registrations);
      await informers.waitForCacheSync(signal);
      this.#options.onSynced?.();
      await Promise.race([turn, aborted(signal)]);
      if (signal.aborted) return;
      this.#options.onStarted?.();
      this.#parts = parts;
      await loop.run(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#parts = undefined;
      measuring.stop();
      queue.close();
      for (const pod of held) pod.reject('', 'the scheduler is stopping');
      await bindings.ended();
      await failures.ended();
      await informers.shutdown();
      await Promise.all(recorders.map((recorder) => stopRecorder(recorder, clock)));
      await extenders.close();
    }
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

function isIdle({ loop, writes, failures, bindings, held, podsInPreBind }: SchedulerParts): boolean {
  return loop.isIdle && writes.isIdle && failures.isIdle && bindings.size <= held.size + podsInPreBind.size;
}

/** Reports the size of the cache every second until stopped. */
function measureCache({ cache, metrics }: SchedulerParts, clock: Clock): { stop(): void } {
  const measure = (): void => {
    metrics.cached(cache.size);
    timer = clock.setTimeout(measure, cacheMetricsMs, { background: true });
  };
  let timer = clock.setTimeout(measure, cacheMetricsMs, { background: true });
  return { stop: () => timer.cancel() };
}
