import type { StatefulSet } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';

export const podNameLabel = 'statefulset.kubernetes.io/pod-name';
const podIndexLabel = 'apps.kubernetes.io/pod-index';
/** Label with the name of the ControllerRevision that the pod was created from. */
export const revisionLabel = 'controller-revision-hash';

/** Splits a pod's name into the name of its set and its ordinal, which is -1 if the name has none. */
export function parentAndOrdinal(podName: string): { readonly parent: string; readonly ordinal: number } {
  const [, parent = '', digits = ''] = /^(.*)-([0-9]+)$/.exec(podName) ?? [];
  const ordinal = digits === '' ? -1 : Number(digits);
  return { parent, ordinal: ordinal < 2 ** 31 ? ordinal : -1 };
}

export const ordinalOf = ({ metadata }: Pod): number => parentAndOrdinal(metadata.name ?? '').ordinal;

export const podNameOf = ({ metadata }: StatefulSet, ordinal: number): string => `${metadata.name}-${ordinal}`;

/** Whether the pod's name has the form of the set's pod names, with any ordinal. */
export const isMember = (set: StatefulSet, pod: Pod): boolean =>
  parentAndOrdinal(pod.metadata.name ?? '').parent === set.metadata.name;

export const startOrdinal = ({ spec }: StatefulSet): number => spec?.ordinals?.start ?? 0;

/** The server sets the default, so `replicas` is always present on its objects. */
export const replicasOf = ({ spec }: StatefulSet): number => spec?.replicas ?? 1;

/** Whether the set needs a pod with this ordinal. */
export function isInRange(set: StatefulSet, ordinal: number): boolean {
  const start = startOrdinal(set);
  return ordinal >= start && ordinal < start + replicasOf(set);
}

export const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[revisionLabel] ?? '';

/** Whether the pod's name and its pod-name label are right. */
export function hasIdentity(set: StatefulSet, { metadata: { name = '', labels } }: Pod): boolean {
  const { ordinal } = parentAndOrdinal(name);
  return ordinal >= 0 && name === podNameOf(set, ordinal) && labels?.[podNameLabel] === name;
}

/** Returns the pod with the name and labels for its ordinal. */
export function withIdentity(set: StatefulSet, pod: Pod, ordinal: number): Pod {
  const name = podNameOf(set, ordinal);
  const labels = { ...pod.metadata.labels, [podNameLabel]: name, [podIndexLabel]: String(ordinal) };
  return { ...pod, metadata: { ...pod.metadata, name, labels } };
}
