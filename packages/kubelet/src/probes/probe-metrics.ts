import type { Container, Pod } from '@coxswain/api/core/v1';
import { type Collectable, CounterFamily, HistogramFamily } from '@coxswain/component-base/metrics';
import type { ProbeKind } from './prober.ts';

const labels = ['probe_type', 'container', 'pod', 'namespace'];

/** The metrics of `/metrics/probes`. */
export class ProbeMetrics {
  readonly #total = new CounterFamily({
    name: 'prober_probe_total',
    labels: ['probe_type', 'result', 'container', 'pod', 'namespace', 'pod_uid'],
    help: 'Cumulative number of a liveness, readiness or startup probe for a container by result.',
  });
  readonly #durations = new HistogramFamily({
    name: 'prober_probe_duration_seconds',
    labels,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    help: 'Duration in seconds for a probe response.',
  });
  readonly families: readonly Collectable[] = [this.#total, this.#durations];

  /** Records an answer. Only the durations of successes are recorded. */
  record({ metadata }: Pod, { name }: Container, kind: ProbeKind, passes: boolean, seconds: number): void {
    const { name: pod = '', namespace = '', uid = '' } = metadata;
    this.#total.with(kind, passes ? 'successful' : 'failed', name, pod, namespace, uid).inc();
    if (passes) this.#durations.with(kind, name, pod, namespace).observe(seconds);
  }

  /** Removes what was recorded of a pod. */
  forget({ metadata: { name = '', namespace = '', uid = '' } }: Pod): void {
    this.#total.forget(['pod_uid'], (each) => each === uid);
    this.#durations.forget(['pod', 'namespace'], (...each) => each[0] === name && each[1] === namespace);
  }
}
