import type { Counter, Gauge, Histogram, Metrics } from '@coxswain/client';

export type QueueName = 'active' | 'backoff' | 'unschedulable' | 'gated';

/** `count` numbers from `start`, each `factor` times the previous one. */
const exponentialBuckets = (start: number, factor: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => start * factor ** i);

/** The metrics of the queues, with kube-scheduler's names. */
export class QueueMetrics {
  readonly #pending: Gauge;
  /** The last reported lengths: most changes leave most queues at the same length. */
  readonly #lengths = new Map<QueueName, number>();
  readonly #incoming: Counter;
  readonly #reasons: CountingGauge;
  readonly #inFlightEvents: CountingGauge;
  readonly #hints: Histogram;
  readonly #extensionPoints: Histogram;

  constructor(metrics: Metrics) {
    this.#pending = metrics.gauge({
      name: 'scheduler_pending_pods',
      help: "Number of pending pods, by the queue type. 'active' means number of pods in activeQ; 'backoff' means number of pods in backoffQ; 'unschedulable' means number of pods in unschedulablePods that the scheduler attempted to schedule and failed; 'gated' is the number of unschedulable pods that the scheduler never attempted to schedule because they are gated.",
      labels: ['queue'],
    });
    this.#incoming = metrics.counter({
      name: 'scheduler_queue_incoming_pods_total',
      help: 'Number of pods added to scheduling queues by event and queue type.',
      labels: ['queue', 'event'],
    });
    this.#reasons = new CountingGauge(
      metrics.gauge({
        name: 'scheduler_unschedulable_pods',
        help: 'The number of unschedulable pods broken down by plugin name. A pod will increment the gauge for all plugins that caused it to not schedule and so this metric have meaning only when broken down by plugin.',
        labels: ['plugin', 'profile'],
      }),
    );
    this.#inFlightEvents = new CountingGauge(
      metrics.gauge({
        name: 'scheduler_inflight_events',
        help: 'Number of events currently tracked in the scheduling queue.',
        labels: ['event'],
      }),
    );
    this.#hints = metrics.histogram({
      name: 'scheduler_queueing_hint_execution_duration_seconds',
      help: 'Duration for running a queueing hint function of a plugin.',
      labels: ['plugin', 'event', 'hint'],
      buckets: exponentialBuckets(0.00001, 1.5, 20),
    });
    this.#extensionPoints = metrics.histogram({
      name: 'scheduler_framework_extension_point_duration_seconds',
      help: 'Latency for running all plugins of a specific extension point.',
      labels: ['extension_point', 'status', 'profile'],
      buckets: exponentialBuckets(0.0001, 2, 12),
    });
  }

  length(queue: QueueName, pods: number): void {
    if (this.#lengths.get(queue) === pods) return;
    this.#lengths.set(queue, pods);
    this.#pending.set(pods, queue);
  }

  incoming(queue: QueueName, event: string): void {
    this.#incoming.add(1, queue, event);
  }

  /** Changes the number of pods that are unschedulable because of the plug-in. */
  rejected(plugin: string, profile: string, by: 1 | -1): void {
    this.#reasons.add(by, plugin, profile);
  }

  inFlight(event: string, by: 1 | -1): void {
    this.#inFlightEvents.add(by, event);
  }

  hint(plugin: string, event: string, hint: 'Queue' | 'QueueSkip' | 'Error', durationMs: number): void {
    this.#hints.observe(durationMs / 1000, plugin, event, hint);
  }

  preEnqueue(status: string, profile: string, durationMs: number): void {
    this.#extensionPoints.observe(durationMs / 1000, 'PreEnqueue', status, profile);
  }
}

/** A gauge that is set by differences. It stores one value per combination of labels: names of plug-ins and events. */
class CountingGauge {
  readonly #gauge: Gauge;
  readonly #values = new Map<string, number>();

  constructor(gauge: Gauge) {
    this.#gauge = gauge;
  }

  add(by: number, ...labels: string[]): void {
    const key = labels.join('\n');
    const value = (this.#values.get(key) ?? 0) + by;
    this.#values.set(key, value);
    this.#gauge.set(value, ...labels);
  }
}
