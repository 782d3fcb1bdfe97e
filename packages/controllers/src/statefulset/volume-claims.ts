import type { StatefulSet } from '@coxswain/api/apps/v1';
import type { PersistentVolumeClaim, Pod, Volume } from '@coxswain/api/core/v1';

/** Returns the name of the claim for a template and ordinal. It is stable for the ordinal. */
const claimName = (template: PersistentVolumeClaim, set: StatefulSet, ordinal: number): string =>
  `${template.metadata.name}-${set.metadata.name}-${ordinal}`;

/** Returns the names of the claims of the pod with this ordinal. */
export const claimNames = (set: StatefulSet, ordinal: number): string[] =>
  (set.spec?.volumeClaimTemplates ?? []).map((template) => claimName(template, set, ordinal));

/** Returns the new claims of the pod with this ordinal. */
export function claimsFor(set: StatefulSet, ordinal: number): PersistentVolumeClaim[] {
  const { selector } = set.spec ?? {};
  const volumeClaimTemplates = set.spec?.volumeClaimTemplates ?? [];
  return volumeClaimTemplates.map((template) => ({
    ...template,
    metadata: {
      ...template.metadata,
      name: claimName(template, set, ordinal),
      namespace: set.metadata.namespace ?? '',
      labels: { ...template.metadata.labels, ...selector?.matchLabels },
    },
  }));
}

/** Whether the pod's volumes refer to the claims of this ordinal. */
export function hasStorage(set: StatefulSet, pod: Pod, ordinal: number): boolean {
  return volumesFor(set, ordinal).every(({ name, persistentVolumeClaim }) => {
    const volume = pod.spec?.volumes?.find((one) => one.name === name);
    return volume?.persistentVolumeClaim?.claimName === persistentVolumeClaim?.claimName;
  });
}

/** Returns the pod with its claims as volumes. They replace other volumes of the same names. */
export function withStorage(set: StatefulSet, pod: Pod, ordinal: number): Pod {
  const claims = volumesFor(set, ordinal);
  if (claims.length === 0 || !pod.spec) return pod;
  const names = new Set(claims.map(({ name }) => name));
  const others = (pod.spec.volumes ?? []).filter(({ name }) => !names.has(name));
  return { ...pod, spec: { ...pod.spec, volumes: [...claims, ...others] } };
}

function volumesFor(set: StatefulSet, ordinal: number): Volume[] {
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => ({
    name: template.metadata.name ?? '',
    persistentVolumeClaim: { claimName: claimName(template, set, ordinal) },
  }));
}
