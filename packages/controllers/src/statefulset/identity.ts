import type { StatefulSet } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';

export const podNameLabel = 'statefulset.kubernetes.io/pod-name';
const podIndexLabel = 'apps.kubernetes.io/pod-index';
/** Names the ControllerRevision that the pod was made from. */
export const revisionLabel = 'controller-revision-hash';

/** What a pod's name says of it: of which set it would be, and which one there. -1 where there is no such number. */
export function parentAndOrdinal(podName: string): { readonly parent: string; readonly ordinal: number } {
  const [, parent = '', digits = ''] = /^(.*)-([0-9]+)$/.exec(podName) ?? [];
  const ordinal = digits === '' ? -1 : Number(digits);
  return { parent, ordinal: ordinal < 2 ** 31 ? ordinal : -1 };
}

export const ordinalOf = ({ metadata }: Pod): number => parentAndOrdinal(metadata.name ?? '').ordinal;

export const podNameOf = ({ metadata }: StatefulSet, ordinal: number): string => `${metadata.name}-${ordinal}`;

/** Whether the pod's name is one of the set's, whatever its number. */
export const isMember = (set: StatefulSet, pod: Pod): boolean =>
  parentAndOrdinal(pod.metadata.name ?? '').parent === set.metadata.name;

export const startOrdinal = ({ spec }: StatefulSet): number => spec?.ordinals?.start ?? 0;

/** The defaults are the server's; without one there is a single pod. */
export const replicasOf = ({ spec }: StatefulSet): number => spec?.replicas ?? 1;

/** Whether a pod of that number is wanted. */
export function isInRange(set: StatefulSet, ordinal: number): boolean {
  const start = startOrdinal(set);
  return ordinal >= start && ordinal < start + replicasOf(set);
}

export const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[revisionLabel] ?? '';

/** Whether the pod is called what it should be, and its labels tell so. */
export function hasIdentity(set: StatefulSet, { metadata: { name = '', labels } }: Pod): boolean {
  const { ordinal } = parentAndOrdinal(name);
  return ordinal >= 0 && name === podNameOf(set, ordinal) && labels?.[podNameLabel] === name;
}

/** The pod with the name and the labels of its number. */
export function withIdentity(set: StatefulSet, pod: Pod, ordinal: number): Pod {
  const name = podNameOf(set, ordinal);
  const labels = { ...pod.metadata.labels, [podNameLabel]: name, [podIndexLabel]: String(ordinal) };
  return { ...pod, metadata: { ...pod.metadata, name, labels } };
}
