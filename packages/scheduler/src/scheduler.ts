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
  /** That of the default scheduler unless told; `parseConfiguration` and `completeConfiguration` make others. */
  readonly config?: SchedulerConfiguration;
  /** Plug-ins beside those that are there, for profiles to enable. */
  readonly plugins?: readonly PluginDefinition[];
  readonly clock?: Clock;
  /** In [0, 1): chooses among nodes that are equally good. */
  readonly random?: () => number;
  /** Where others get their turn between pods; the thread's own by default. */
  readonly eventLoop?: EventLoop;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** How long a pod waits for an event at most; 5 minutes unless told. */
  readonly podMaxInUnschedulablePodsMs?: number;
  /** Where it runs, which events tell; the name of this host unless told. */
  readonly host?: string;
  /** Fail on every change to a cached object; for tests. */
  readonly freezeCaches?: boolean;
  /** Called when all caches are filled. */
  readonly onSynced?: () => void;
  /** Called when it begins to schedule. */
  readonly onStarted?: () => void;
}

const cacheMetricsMs = 1000;

/**
 * Gives a node to every pod that asks for one of its profiles. It knows of the cluster through informers and writes bindings,
 * events and pods' conditions; a new one goes on where another has stopped.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  #parts: SchedulerParts | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /**
   * Whether it has done all that there is to do at this moment of the clock. Pods that plug-ins hold back, or prepare volumes
   * for, do not count. For tests, which wait for it.
   */
  get isIdle(): boolean {
    return this.#parts !== undefined && isIdle(this.#parts);
  }

  /**
   * Schedules until the signal is aborted; resolves when nothing is under way any more. Rejects at once when the
   * configuration makes no sense. Caches are filled at once, but nothing is scheduled before `turn`: for one that waits
   * to become the leader.
   */
  async run(signal: AbortSignal, turn: Promise<void> = Promise.resolve()): Promise<void> {
    // Every informer and every request listens to it.
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
      for (const pod of held) pod.reject('', 'the scheduler ends');
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

/** Every second, as long as it is not stopped. */
function measureCache({ cache, metrics }: SchedulerParts, clock: Clock): { stop(): void } {
  const measure = (): void => {
    metrics.cached(cache.size);
    timer = clock.setTimeout(measure, cacheMetricsMs, { background: true });
  };
  let timer = clock.setTimeout(measure, cacheMetricsMs, { background: true });
  return { stop: () => timer.cancel() };
}
