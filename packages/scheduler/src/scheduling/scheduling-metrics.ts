import type { Clock, Counter, Gauge, Histogram, Metrics } from '@coxswain/client';
import type { QueuedPodInfo } from '../queue/queued-pod-info.ts';

const exponential = (start: number, factor: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => start * factor ** i);

/** The result of an attempt. */
export type AttemptResult = 'scheduled' | 'unschedulable' | 'error';

/** The metrics of scheduling, with kube-scheduler's names. Times are milliseconds of a monotonic clock. */
export class SchedulingMetrics {
  readonly #clock: Clock;
  readonly #attempts: Counter;
  readonly #attemptDuration: Histogram;
  readonly #algorithmDuration: Histogram;
  readonly #podAttempts: Histogram;
  readonly #sliDuration: Histogram;
  readonly #afterFlush: Counter;
  readonly #cacheSize: Gauge;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    this.#attempts = metrics.counter({
      name: 'scheduler_schedule_attempts_total',
      help: "Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could not be scheduled, while 'error' means an internal scheduler problem.",
      labels: ['result', 'profile'],
    });
    this.#attemptDuration = metrics.histogram({
      name: 'scheduler_scheduling_attempt_duration_seconds',
      help: 'Scheduling attempt latency in seconds (scheduling algorithm + binding)',
      labels: ['result', 'profile'],
      buckets: exponential(0.001, 2, 15),
    });
    this.#algorithmDuration = metrics.histogram({
      name: 'scheduler_scheduling_algorithm_duration_seconds',
      help: 'Scheduling algorithm latency in seconds',
      labels: [],
      buckets: exponential(0.001, 2, 15),
    });
    this.#podAttempts = metrics.histogram({
      name: 'scheduler_pod_scheduling_attempts',
      help: 'Number of attempts to successfully schedule a pod.',
      labels: [],
      buckets: exponential(1, 2, 5),
    });
    this.#sliDuration = metrics.histogram({
      name: 'scheduler_pod_scheduling_sli_duration_seconds',
      help: 'E2e latency for a pod being scheduled, from the time the pod enters the scheduling queue and might involve multiple scheduling attempts.',
      labels: ['attempts'],
      buckets: exponential(0.01, 2, 20),
    });
    this.#afterFlush = metrics.counter({
      name: 'scheduler_pod_scheduled_after_flush_total',
      help: 'Number of pods that were successfully scheduled after being flushed from unschedulablePods due to timeout. This metric helps detect potential queueing hint misconfigurations or event handling issues.',
      labels: [],
    });
    this.#cacheSize = metrics.gauge({
      name: 'scheduler_cache_size',
      help: 'Number of nodes, pods, and assumed (bound) pods in the scheduler cache.',
      labels: ['type'],
    });
  }

  /** The current time, for the `start` parameters below. */
  now(): number {
    return this.#clock.monotonic();
  }

  attempted(result: AttemptResult, profile: string, start: number): void {
    this.#attempts.add(1, result, profile);
    this.#attemptDuration.observe(this.#since(start), result, profile);
  }

  algorithmRan(start: number): void {
    this.#algorithmDuration.observe(this.#since(start));
  }

  scheduled({ attempts, initialAttemptTimestamp, wasFlushedFromUnschedulable }: QueuedPodInfo): void {
    this.#podAttempts.observe(attempts);
    if (wasFlushedFromUnschedulable) this.#afterFlush.add(1);
    if (initialAttemptTimestamp === undefined) return;
    const seconds = (this.#clock.now() - initialAttemptTimestamp) / 1000;
    this.#sliDuration.observe(seconds, attempts >= 15 ? '15+' : String(attempts));
  }

  cached({
    nodes,
    pods,
    assumedPods,
  }: {
    readonly nodes: number;
    readonly pods: number;
    readonly assumedPods: number;
  }) {
    this.#cacheSize.set(nodes, 'nodes');
    this.#cacheSize.set(pods, 'pods');
    this.#cacheSize.set(assumedPods, 'assumed_pods');
  }

  #since(start: number): number {
    return (this.#clock.monotonic() - start) / 1000;
  }
}
