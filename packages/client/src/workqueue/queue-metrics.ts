import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import { type Counter, type Metrics, noMetrics } from '../observe/metrics.ts';
import type { QueueEntry } from './queue-entry.ts';

/** How often the age of unfinished work is reported. */
const unfinishedWorkPeriodMs = 500;

/** 10 ns to 10 s. */
const durationBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10];

/** Metrics of one queue, with client-go's names. */
export class QueueMetrics<T> {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #depth;
  readonly #adds;
  readonly #latency;
  readonly #workDuration;
  readonly #unfinished;
  readonly #longestRunning;
  readonly #processing = new Set<QueueEntry<T>>();
  /** Active only while items are processed. */
  #timer: Timer | undefined;
  #stopped = false;
  #depthNow = 0;

  constructor(metrics: Metrics, name: string, clock: Clock) {
    this.#name = name;
    this.#clock = clock;
    const labels = ['name'];
    const buckets = durationBuckets;
    this.#depth = metrics.gauge({ name: 'workqueue_depth', help: 'Current depth of workqueue', labels });
    this.#adds = metrics.counter({
      name: 'workqueue_adds_total',
      help: 'Total number of adds handled by workqueue',
      labels,
    });
    this.#latency = metrics.histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long in seconds an item stays in workqueue before being requested.',
      labels,
      buckets,
    });
    this.#workDuration = metrics.histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long in seconds processing an item from workqueue takes.',
      labels,
      buckets,
    });
    this.#unfinished = metrics.gauge({
      name: 'workqueue_unfinished_work_seconds',
      help: 'Seconds of work in progress that work_duration has not seen yet. Large values mean stuck workers.',
      labels,
    });
    this.#longestRunning = metrics.gauge({
      name: 'workqueue_longest_running_processor_seconds',
      help: 'For how many seconds the longest running worker has been processing its item.',
      labels,
    });
  }

  added(entry: QueueEntry<T>): void {
    entry.addedAt = this.#clock.monotonic();
    this.#adds.add(1, this.#name);
    this.#depth.set(++this.#depthNow, this.#name);
  }

  taken(entry: QueueEntry<T>): void {
    entry.startedAt = this.#clock.monotonic();
    this.#depth.set(--this.#depthNow, this.#name);
    this.#latency.observe((entry.startedAt - entry.addedAt) / 1000, this.#name);
    this.#processing.add(entry);
    if (!this.#stopped)
      this.#timer ??= this.#clock.setTimeout(this.#tellUnfinished, unfinishedWorkPeriodMs, { background: true });
  }

  done(entry: QueueEntry<T>): void {
    this.#processing.delete(entry);
    this.#workDuration.observe(this.#ageSeconds(entry), this.#name);
  }

  /** Stops reporting unfinished work, and cancels the timer. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  readonly #tellUnfinished = (): void => {
    let total = 0;
    let longest = 0;
    for (const entry of this.#processing) {
      const age = this.#ageSeconds(entry);
      total += age;
      longest = Math.max(longest, age);
    }
    this.#unfinished.set(total, this.#name);
    this.#longestRunning.set(longest, this.#name);
    const goesOn = this.#processing.size > 0;
    this.#timer = goesOn
      ? this.#clock.setTimeout(this.#tellUnfinished, unfinishedWorkPeriodMs, { background: true })
      : undefined;
  };

  #ageSeconds(entry: QueueEntry<T>): number {
    return (this.#clock.monotonic() - entry.startedAt) / 1000;
  }
}

/** Returns undefined without metrics or without a name, so that the queue has no overhead then. */
export function queueMetrics<T>(metrics: Metrics, name: string, clock: Clock): QueueMetrics<T> | undefined {
  return metrics === noMetrics || name === '' ? undefined : new QueueMetrics(metrics, name, clock);
}

/** Counts delayed adds, like client-go. */
export function retriesMetric(metrics: Metrics, name: string): Counter | undefined {
  if (metrics === noMetrics || name === '') return undefined;
  return metrics.counter({
    name: 'workqueue_retries_total',
    help: 'Total number of retries handled by workqueue',
    labels: ['name'],
  });
}
