import { isExtendedResourceName } from '@coxswain/api';
import type { Pod, Toleration } from '@coxswain/api/core/v1';
import type { AdmissionPlugin } from '../admission.ts';

/** Adds tolerations for the taints of extended resources to pods that request them. */
export const extendedResourceToleration = (): AdmissionPlugin => ({
  name: 'ExtendedResourceToleration',
  operations: ['CREATE', 'UPDATE'],
  resources: ['pods'],
  admit({ object }) {
    const pod = object as Pod;
    const { spec } = pod;
    if (!spec) return;
    const names = new Set<string>();
    for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])])
      for (const name of Object.keys(resources?.requests ?? {})) if (isExtendedResourceName(name)) names.add(name);
    if (names.size === 0) return;
    pod.spec = { ...spec, tolerations: withTolerations(spec.tolerations ?? [], names) };
  },
});

const tolerationOf = (key: string): Toleration => ({ key, operator: 'Exists', effect: 'NoSchedule' });

/**
 * Replaces tolerations of the same taint, whose tolerationSeconds are lost as in upstream, and appends missing ones.
 */
function withTolerations(tolerations: readonly Toleration[], names: ReadonlySet<string>): Toleration[] {
  const missing = new Set(names);
  const replaced = tolerations.map((own) => {
    const { key = '', operator, effect, value } = own;
    if (!names.has(key) || operator !== 'Exists' || effect !== 'NoSchedule' || value) return own;
    missing.delete(key);
    return tolerationOf(key);
  });
  return [...replaced, ...[...missing].sort().map(tolerationOf)];
}
