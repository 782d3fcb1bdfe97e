import type { Container, PodSandbox } from '@coxswain/cri';
import { podUidLabel } from '../runtime/labels.ts';
import { groupBy } from './group-by.ts';

/**
 * Returns the ids of the kubelet's sandboxes that are not needed: those that are not ready and have no containers, except for the latest
 * one of each pod that still exists. Oldest first.
 */
export function deadSandboxes(
  sandboxes: readonly PodSandbox[],
  containers: readonly Container[],
  isGone: (podUid: string) => boolean,
): string[] {
  const inUse = new Set(containers.map(({ podSandboxId }) => podSandboxId));
  const ours = sandboxes.filter(({ labels }) => labels[podUidLabel] !== undefined);
  const pods = groupBy(ours, ({ labels }) => labels[podUidLabel] ?? '');
  return [...pods].flatMap(([uid, all]) => {
    const oldestFirst = all.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    return (isGone(uid) ? oldestFirst : oldestFirst.slice(0, -1))
      .filter(({ id, state }) => state !== 'SANDBOX_READY' && !inUse.has(id))
      .map(({ id }) => id);
  });
}
