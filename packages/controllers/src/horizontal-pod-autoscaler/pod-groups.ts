import type { Pod } from '@coxswain/api/core/v1';
import { podCondition } from '@coxswain/component-helpers';
import type { PodMetric, PodMetrics } from './metrics-client.ts';

/** The pods of a target, grouped by the usefulness of their metrics. */
export interface PodGroups {
  /** The number of pods with useful metrics. */
  readonly ready: number;
  /** Pods that are still starting. */
  readonly unready: readonly string[];
  /** Pods without metrics. */
  readonly missing: readonly string[];
  /** Pods that have failed or are being deleted. */
  readonly ignored: readonly string[];
}

export interface ReadinessRules {
  /** For this long after its start, a pod's CPU usage may be due to initialization. */
  readonly cpuInitializationPeriodMs: number;
  /** A pod whose Ready condition became False within this time after its start counts as never ready. */
  readonly initialReadinessDelayMs: number;
}

export function groupPods(
  pods: readonly Pod[],
  metrics: PodMetrics,
  isCpu: boolean,
  rules: ReadinessRules,
  now: number,
): PodGroups {
  const groups = { ready: 0, unready: [] as string[], missing: [] as string[], ignored: [] as string[] };
  for (const pod of pods) {
    const { name = '', deletionTimestamp } = pod.metadata;
    const metric = metrics.get(name);
    if (deletionTimestamp || pod.status?.phase === 'Failed') groups.ignored.push(name);
    else if (pod.status?.phase === 'Pending') groups.unready.push(name);
    else if (!metric) groups.missing.push(name);
    else if (isCpu && isStarting(pod, metric, rules, now)) groups.unready.push(name);
    else groups.ready++;
  }
  return groups;
}

function isStarting(pod: Pod, metric: PodMetric, rules: ReadinessRules, now: number): boolean {
  const ready = podCondition(pod, 'Ready');
  if (!ready || pod.status?.startTime === undefined) return true;
  const startedAt = Date.parse(pod.status.startTime);
  const changedAt = Date.parse(ready.lastTransitionTime ?? '') || 0;
  if (startedAt + rules.cpuInitializationPeriodMs > now) {
    // The whole measured period must be after the pod became ready.
    return ready.status === 'False' || metric.timestamp < changedAt + metric.windowMs;
  }
  return ready.status === 'False' && startedAt + rules.initialReadinessDelayMs > changedAt;
}
