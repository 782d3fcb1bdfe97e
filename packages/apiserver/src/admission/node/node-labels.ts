import type { labels } from '@coxswain/apimachinery';

/** Kubernetes labels that a kubelet may set on its own node. */
const kubeletLabels: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);

/**
 * Returns the changed labels that a node must not change itself, sorted. They may restrict where pods are scheduled.
 */
export function forbiddenNodeLabels(now: labels.Labels = {}, before: labels.Labels = {}): string[] {
  const keys = new Set([...Object.keys(now), ...Object.keys(before)]);
  const value = (of: labels.Labels, key: string): string | undefined => (Object.hasOwn(of, key) ? of[key] : undefined);
  return [...keys].filter((key) => value(now, key) !== value(before, key) && isForbidden(key)).sort();
}

function isForbidden(label: string): boolean {
  const slash = label.indexOf('/');
  const domain = slash < 0 ? '' : label.slice(0, slash);
  const within = (suffix: string): boolean => domain === suffix || domain.endsWith(`.${suffix}`);
  if (within('node-restriction.kubernetes.io')) return true;
  const isKubernetes = within('kubernetes.io') || within('k8s.io');
  const isKubelets = kubeletLabels.has(label) || within('kubelet.kubernetes.io') || within('node.kubernetes.io');
  return isKubernetes && !isKubelets;
}
