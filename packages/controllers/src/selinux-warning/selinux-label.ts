import type { Pod, SELinuxOptions } from '@coxswain/api/core/v1';

/** `user:role:type:level`; empty when nothing is said. Nodes fill in what is left out, so nobody here does. */
function labelOf({ user = '', role = '', type = '', level = '' }: SELinuxOptions): string {
  const label = [user, role, type, level].join(':');
  return label === ':::' ? '' : label;
}

/**
 * The labels that the pod's containers see each volume under which they mount, by the volume's name. There are none for
 * volumes whose containers say nothing, and there should not be more than one.
 */
export function labelsOfMounts({ spec }: Pod): Map<string, Set<string>> {
  const labels = new Map<string, Set<string>>();
  const { securityContext } = spec ?? {};
  const containers = spec?.containers ?? [];
  const initContainers = spec?.initContainers ?? [];
  const ephemeralContainers = spec?.ephemeralContainers ?? [];
  for (const container of [...initContainers, ...containers, ...ephemeralContainers]) {
    const options = container.securityContext?.seLinuxOptions ?? securityContext?.seLinuxOptions;
    for (const { name } of container.volumeMounts ?? []) {
      const known = labels.get(name) ?? new Set();
      labels.set(name, options ? known.add(labelOf(options)) : known);
    }
  }
  return labels;
}

/**
 * Whether nodes would surely give files different labels. User, role and type may be left to the node, which may then
 * choose the same; the level is what it is.
 */
export function labelsConflict(one: string, other: string): boolean {
  const [ones, others] = [partsOf(one), partsOf(other)];
  return ones.some((part, index) => {
    const isOpen = index < 3 && (part === '' || others[index] === '');
    return part !== others[index] && !isOpen;
  });
}

/** The level has colons of its own. */
function partsOf(label: string): [string, string, string, string] {
  const [user = '', role = '', type = '', ...level] = label.split(':');
  return [user, role, type, level.join(':')];
}
