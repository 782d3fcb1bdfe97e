import type { Pod } from '@coxswain/api/core/v1';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { ClientSet, Clock, Indexer, Logger } from '@coxswain/client';
import type { SchedulerCache } from '../cache/scheduler-cache.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import type { BoundedTasks } from './bounded-tasks.ts';
import type { SchedulingMetrics } from './scheduling-metrics.ts';

/** What scheduling, binding and their failures have in common. */
export interface SchedulingContext {
  readonly clients: ClientSet;
  /** What the informer knows of pods. */
  readonly pods: Indexer<Pod>;
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly clock: Clock;
  readonly random: () => number;
  /** Where others get their turn between pods. */
  readonly eventLoop: EventLoop;
  readonly logger: Logger;
  readonly metrics: SchedulingMetrics;
  /** What is written to the API server at once. */
  readonly writes: BoundedTasks;
}
