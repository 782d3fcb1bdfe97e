import type { Pod } from '@coxswain/api/core/v1';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { ClientSet, Clock, Indexer, Logger } from '@coxswain/client';
import type { SchedulerCache } from '../cache/scheduler-cache.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import type { BoundedTasks } from './bounded-tasks.ts';
import type { SchedulingMetrics } from './scheduling-metrics.ts';

/** The dependencies shared by scheduling, binding and failure handling. */
export interface SchedulingContext {
  readonly clients: ClientSet;
  /** The informer's cache of pods. */
  readonly pods: Indexer<Pod>;
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly clock: Clock;
  readonly random: () => number;
  /** Used to yield to other tasks between pods. */
  readonly eventLoop: EventLoop;
  readonly logger: Logger;
  readonly metrics: SchedulingMetrics;
  /** Limits the concurrent writes to the API server. */
  readonly writes: BoundedTasks;
}
