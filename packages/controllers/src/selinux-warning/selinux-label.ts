import type { Pod, SELinuxOptions } from '@coxswain/api/core/v1';

/**
 * Formats the label as `user:role:type:level`, or returns an empty text without options. Missing parts are filled in by nodes,
 * not here.
 */
function labelOf({ user = '', role = '', type = '', level = '' }: SELinuxOptions): string {
  const label = [user, role, type, level].join(':');
  return label === ':::' ? '' : label;
}

/**
 * Returns the labels with which the pod's containers mount each volume, by volume name. Empty for volumes whose containers have
 * no SELinux options. More than one label is an error in the pod.
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
 * Whether nodes would certainly give files different labels. A missing user, role or type is chosen by the node, possibly the
 * same as the other; a missing level is not.
 */
export function labelsConflict(one: string, other: string): boolean {
  const [ones, others] = [partsOf(one), partsOf(other)];
  return ones.some((part, index) => {
    const isOpen = index < 3 && (part === '' || others[index] === '');
    return part !== others[index] && !isOpen;
  });
}

/** Splits the label. The level may contain colons. */
function partsOf(label: string): [string, string, string, string] {
  const [user = '', role = '', type = '', ...level] = label.split(':');
  return [user, role, type, level.join(':')];
}
