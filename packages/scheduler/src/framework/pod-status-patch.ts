import type { Pod, PodCondition } from '@coxswain/api/core/v1';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { podCondition } from '@coxswain/component-helpers';

export interface PodStatusChange {
  readonly condition?: Omit<PodCondition, 'lastTransitionTime'>;
  /** Empty: removes the nomination. */
  readonly nominatedNodeName?: string | undefined;
}

/** Returns a strategic merge patch of the pod's status; undefined when the status is already up to date. */
export function podStatusPatch(pod: Pod, change: PodStatusChange, now: number): object | undefined {
  const { metadata, status } = pod;
  const { nominatedNodeName } = change;
  const condition = change.condition && changedCondition(pod, change.condition, now);
  const isRenominated = nominatedNodeName !== undefined && nominatedNodeName !== (status?.nominatedNodeName ?? '');
  if (!condition && !isRenominated) return undefined;
  const types = new Set(status?.conditions?.map(({ type }) => type));
  return {
    // The UID makes the patch fail for another pod of the same name.
    metadata: { uid: metadata.uid },
    status: {
      ...(condition && {
        '$setElementOrder/conditions': [...types.add(condition.type)].map((type) => ({ type })),
        conditions: [condition],
      }),
      ...(isRenominated && { nominatedNodeName: nominatedNodeName || null }),
    },
  };
}

function changedCondition(
  pod: Pod,
  wanted: Omit<PodCondition, 'lastTransitionTime'>,
  now: number,
): PodCondition | undefined {
  const known = podCondition(pod, wanted.type);
  const isSame =
    known?.status === wanted.status &&
    (known.reason ?? '') === (wanted.reason ?? '') &&
    (known.message ?? '') === (wanted.message ?? '');
  if (isSame) return undefined;
  const since = known?.status === wanted.status ? known.lastTransitionTime : undefined;
  return { ...wanted, lastTransitionTime: since ?? timeFromDate(new Date(now)) };
}
