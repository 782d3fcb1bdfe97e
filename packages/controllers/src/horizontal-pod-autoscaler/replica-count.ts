import type { PodMetrics } from './metrics-client.ts';
import { ceilToInt32, ceilToInt64, clampInt32 } from './numbers.ts';
import type { PodGroups } from './pod-groups.ts';

/** How far usage may deviate from the target without scaling. */
export interface Tolerances {
  readonly scaleDown: number;
  readonly scaleUp: number;
}

const isWithin = (ratio: number, { scaleDown, scaleUp }: Tolerances): boolean =>
  1 - scaleDown <= ratio && ratio <= 1 + scaleUp;

/** Values of pods by name. */
type Values = ReadonlyMap<string, bigint>;

/** Usage relative to the target, and absolute for the status. */
interface Usage {
  readonly ratio: number;
  readonly average: bigint;
  /** Percentage of the requests, for a utilization target. */
  readonly utilization?: number;
}

/** Compares the usage of pods with a target. */
export interface UsageTarget {
  /** Throws when none of the values belongs to a known pod. */
  usageOf(values: Values): Usage;
  /** The assumed usage of a pod without metrics when scaling down: the highest expected one. */
  fallback(podName: string): bigint;
}

/** A target for the average value per pod. */
export const averageTarget = (target: bigint): UsageTarget => ({
  usageOf(values) {
    const average = sum(values) / BigInt(values.size);
    return { ratio: Number(average) / Number(target), average };
  },
  fallback: () => target,
});

/** A target for the utilization in percent of the pods' requests. */
export const utilizationTarget = (target: number, requests: Values): UsageTarget => ({
  usageOf(values) {
    let used = 0n;
    let requested = 0n;
    let count = 0n;
    for (const [name, value] of values) {
      const request = requests.get(name);
      if (request === undefined) continue;
      used += value;
      requested += request;
      count++;
    }
    if (requested === 0n) throw new Error('no metrics returned matched known pods');
    const utilization = clampInt32(Number((used * 100n) / requested));
    return { ratio: utilization / target, average: used / count, utilization };
  },
  fallback: (podName) => ((requests.get(podName) ?? 0n) * BigInt(Math.max(100, target))) / 100n,
});

export interface Proposal {
  readonly replicas: number;
  readonly usage: Usage;
}

/**
 * Returns the number of replicas that brings the average usage of pods to its target. Pods that are not ready or have no metrics
 * are counted so that they reduce the change in either direction; a later reconcile can complete it. Throws without any metrics.
 */
export function replicasForPods(
  metrics: PodMetrics,
  { ready, unready, missing, ignored }: PodGroups,
  currentReplicas: number,
  target: UsageTarget,
  tolerances: Tolerances,
): Proposal {
  const values = new Map([...metrics].map(([name, { value }]) => [name, value]));
  for (const name of [...ignored, ...unready]) values.delete(name);
  if (values.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)');
  const usage = target.usageOf(values);
  const { ratio } = usage;
  const growsWithUnready = unready.length > 0 && ratio > 1;
  const unchanged = { replicas: currentReplicas, usage };
  if (!growsWithUnready && missing.length === 0) {
    return isWithin(ratio, tolerances) ? unchanged : { replicas: ceilToInt32(ratio * ready), usage };
  }
  if (ratio < 1) for (const name of missing) values.set(name, target.fallback(name));
  if (ratio > 1) for (const name of missing) values.set(name, 0n);
  if (growsWithUnready) for (const name of unready) values.set(name, 0n);
  const { ratio: cautious } = target.usageOf(values);
  const isReversed = (ratio < 1 && cautious > 1) || (ratio > 1 && cautious < 1);
  if (isReversed || isWithin(cautious, tolerances)) return unchanged;
  const replicas = ceilToInt32(cautious * values.size);
  const goesWrongWay = (cautious < 1 && replicas > currentReplicas) || (cautious > 1 && replicas < currentReplicas);
  return goesWrongWay ? unchanged : { replicas, usage };
}

/** Returns the number of replicas that brings a value, which the pods share, to its target. `readyPods` is called only when needed. */
export function replicasForValue(
  value: bigint,
  target: bigint,
  currentReplicas: number,
  tolerances: Tolerances,
  readyPods: () => number,
): number {
  const ratio = Number(value) / Number(target);
  if (currentReplicas === 0) return ceilToInt32(ratio);
  return isWithin(ratio, tolerances) ? currentReplicas : ceilToInt32(ratio * readyPods());
}

/** Returns the number of replicas that brings the value per replica to its target, and the current value per replica. */
export function replicasForValuePerPod(
  value: bigint,
  target: bigint,
  statusReplicas: number,
  tolerances: Tolerances,
): { readonly replicas: number; readonly average: bigint } {
  const ratio = Number(value) / (Number(target) * statusReplicas);
  return {
    replicas: isWithin(ratio, tolerances) ? statusReplicas : ceilToInt32(Number(value) / Number(target)),
    average: ceilToInt64(Number(value) / statusReplicas),
  };
}

const sum = (values: Values): bigint => [...values.values()].reduce((total, value) => total + value, 0n);
