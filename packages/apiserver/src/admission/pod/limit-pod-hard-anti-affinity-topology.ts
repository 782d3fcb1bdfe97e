import type { Pod } from '@coxswain/api/core/v1';
import { newForbidden } from '@coxswain/apimachinery';
import type { AdmissionPlugin } from '../admission.ts';

const hostname = 'kubernetes.io/hostname';

/** Required anti-affinity of pods may only have the topology key of host names. */
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
