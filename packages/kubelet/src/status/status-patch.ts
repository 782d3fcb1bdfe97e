import type { Pod, PodCondition, PodStatus } from '@coxswain/api/core/v1';
import { jsonEquals } from '@coxswain/apimachinery/json';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { terminalReadiness } from './conditions.ts';
import { mapPatch, resourcesPatch } from './map-patch.ts';
import { isKubeletCondition } from './pod-status.ts';

const isEnded = (phase: PodStatus['phase']): boolean => phase === 'Succeeded' || phase === 'Failed';

/** Fields that the patch replaces as a whole. */
const plainFields = [
  'observedGeneration',
  'phase',
  'message',
  'reason',
  'hostIP',
  'podIP',
  'startTime',
  'initContainerStatuses',
  'containerStatuses',
  'ephemeralContainerStatuses',
  'qosClass',
] as const satisfies readonly (keyof PodStatus)[];

/**
 * Returns the status that may be written for a pod whose status in the API server is `base`. Its phase does not become final while
 * containers may run (`mayRun`). A pod with a final phase is not ready.
 */
export function tellableStatus(
  pod: Pod,
  base: PodStatus,
  status: PodStatus,
  mayRun: boolean,
  nowMs: number,
): PodStatus {
  const isEnding = !isEnded(base.phase) && isEnded(status.phase);
  const { phase, reason, message, ...rest } = status;
  const told: PodStatus =
    isEnding && mayRun
      ? {
          ...rest,
          ...endOf(base),
          conditions: rest.conditions?.filter((condition) => !isTerminationByKubelet(condition)),
        }
      : status;
  if (!isEnded(told.phase)) return told;
  const isReady = told.conditions?.some(
    ({ type, status: is }) => (type === 'Ready' || type === 'ContainersReady') && is === 'True',
  );
  if (!isReady) return told;
  const unready = terminalReadiness(pod, told.phase).map((condition) => ({
    ...condition,
    lastTransitionTime: timeFromDate(new Date(nowMs)),
  }));
  const conditions = told.conditions?.map(
    (condition) => unready.find(({ type }) => type === condition.type) ?? condition,
  );
  return { ...told, conditions };
}

const endOf = ({ phase, reason, message }: PodStatus): PodStatus => ({
  ...(phase !== undefined && { phase }),
  ...(reason !== undefined && { reason }),
  ...(message !== undefined && { message }),
});

/** Returns the strategic merge patch from the status in the API server to the kubelet's. Undefined if nothing differs. */
export function statusPatch(base: PodStatus, status: PodStatus) {
  const patch = {
    ...Object.fromEntries(
      plainFields.flatMap((field) =>
        jsonEquals(base[field], status[field]) ? [] : [[field, status[field] ?? null] as const],
      ),
    ),
    ...listPatch('hostIPs', base.hostIPs, status.hostIPs),
    ...listPatch('podIPs', base.podIPs, status.podIPs),
    ...(!jsonEquals(base.allocatedResources, status.allocatedResources) && {
      allocatedResources: mapPatch(base.allocatedResources, status.allocatedResources),
    }),
    ...(!jsonEquals(base.resources, status.resources) && {
      resources: resourcesPatch(base.resources, status.resources),
    }),
    ...conditionsPatch(base.conditions ?? [], status.conditions ?? []),
  };
  return Object.keys(patch).length === 0 ? undefined : patch;
}

type Addresses = readonly { ip?: string }[] | null | undefined;

/** Returns the patch of a list of addresses, whose merge key is `ip`. */
function listPatch(field: string, given: Addresses, wanted: Addresses) {
  const before = given ?? [];
  const after = wanted ?? [];
  if (jsonEquals(before, after)) return {};
  const gone = before.filter(({ ip }) => !after.some((entry) => entry.ip === ip));
  return { [field]: [...after, ...gone.map(({ ip }) => ({ ip, $patch: 'delete' }))] };
}

function conditionsPatch(before: readonly PodCondition[], after: readonly PodCondition[]) {
  const own = after.filter((condition) => isKubeletCondition(condition) || isTerminationByKubelet(condition));
  const changed = own.filter((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    return !old || !isSameCondition(old, condition);
  });
  const gone = before.filter((old) => isKubeletCondition(old) && !own.some(({ type }) => type === old.type));
  if (changed.length + gone.length === 0) return {};
  const others = before.filter(({ type }) => !own.some((condition) => condition.type === type));
  return {
    conditions: [
      ...changed.map((condition) => ({ reason: null, message: null, ...condition })),
      ...gone.map(({ type }) => ({ type, $patch: 'delete' })),
    ],
    '$setElementOrder/conditions': [...others.filter((condition) => !gone.includes(condition)), ...own].map(
      ({ type }) => ({ type }),
    ),
  };
}

/** Other components set the condition `DisruptionTarget`, too. This one has the kubelet's reason. */
const isTerminationByKubelet = ({ type, reason }: PodCondition): boolean =>
  type === 'DisruptionTarget' && reason === 'TerminationByKubelet';

const isSameCondition = (a: PodCondition, b: PodCondition): boolean =>
  a.status === b.status &&
  (a.reason ?? '') === (b.reason ?? '') &&
  (a.message ?? '') === (b.message ?? '') &&
  a.observedGeneration === b.observedGeneration &&
  a.lastTransitionTime === b.lastTransitionTime;
