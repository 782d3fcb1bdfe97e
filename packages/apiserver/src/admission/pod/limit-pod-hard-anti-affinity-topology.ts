import type { Pod } from '@coxswain/api/core/v1';
import { newForbidden } from '@coxswain/apimachinery';
import type { AdmissionPlugin } from '../admission.ts';

const hostname = 'kubernetes.io/hostname';

/** A pod may insist on being kept apart from others by nodes only, not by whole zones. */
export const limitPodHardAntiAffinityTopology = (): AdmissionPlugin => ({
  name: 'LimitPodHardAntiAffinityTopology',
  operations: ['CREATE', 'UPDATE'],
  resources: ['pods'],
  validate({ object, resource }) {
    const { metadata, spec } = object as Pod;
    const terms = spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const other = terms.find(({ topologyKey }) => topologyKey !== hostname);
    if (!other) return;
    throw newForbidden(
      resource.groupResource,
      metadata.name ?? '',
      `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${other.topologyKey} but only key ${hostname} is allowed`,
    );
  },
});
