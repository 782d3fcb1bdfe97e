import type { ContainerStatus, Pod } from '@coxswain/api/core/v1';
import { podCondition } from '@coxswain/component-helpers';

/** The backoff after the first failure, and its maximum. */
const firstBackoffMs = 10_000;
const longestBackoffMs = 10 * 60_000;

/** The failures of a Job's pods since the last success. */
export interface BackoffRecord {
  readonly failures: number;
  /** The time of the last failure. */
  readonly lastFailureMs: number;
}

export const noFailures: BackoffRecord = { failures: 0, lastFailureMs: 0 };

/** Returns the record after these pods have ended. A success resets the failures before it. */
export function backoffAfter(record: BackoffRecord, succeeded: readonly Pod[], failed: readonly Pod[]): BackoffRecord {
  const failureTimes = failed.map(finishTime);
  if (succeeded.length === 0) {
    if (failed.length === 0) return record;
    return { failures: record.failures + failed.length, lastFailureMs: latest(failureTimes) };
  }
  const lastSuccess = latest(succeeded.map(finishTime));
  const later = failureTimes.filter((time) => time > lastSuccess);
  return later.length === 0 ? noFailures : { failures: later.length, lastFailureMs: latest(later) };
}

const latest = (times: readonly number[]): number => times.reduce((a, b) => Math.max(a, b), 0);

/** Returns how long no new pod may be created: ten seconds after the first failure, doubled with each further one. */
export function remainingBackoffMs({ failures, lastFailureMs }: BackoffRecord, now: number): number {
  if (failures === 0) return 0;
  const backoff = Math.min(firstBackoffMs * 2 ** (failures - 1), longestBackoffMs);
  return Math.max(0, lastFailureMs + backoff - now);
}

/**
 * Returns when the pod ended, in milliseconds: when its last container ended, else when it became unready, else when its deletion
 * started, else its creation.
 */
export function finishTime(pod: Pod): number {
  const { metadata } = pod;
  const ofContainers = containersFinishTime(pod);
  if (ofContainers !== undefined) return ofContainers;
  const ready = podCondition(pod, 'Ready');
  if (ready?.status === 'False' && ready.lastTransitionTime) return Date.parse(ready.lastTransitionTime);
  if (metadata.deletionTimestamp) {
    return Date.parse(metadata.deletionTimestamp) - Number(metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  }
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}

/** Includes sidecars, which end after the other containers. */
function containersFinishTime({ spec, status }: Pod): number | undefined {
  const sidecars = new Set(spec?.initContainers?.filter((it) => it.restartPolicy === 'Always').map(({ name }) => name));
  const containers = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ];
  let latest: number | undefined;
  for (const container of containers) {
    const time = containerFinishTime(container);
    if (time === undefined) return undefined;
    latest = Math.max(latest ?? time, time);
  }
  return latest;
}

const containerFinishTime = ({ state }: ContainerStatus): number | undefined =>
  Date.parse(state?.terminated?.finishedAt ?? '') || undefined;
