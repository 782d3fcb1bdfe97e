import type { DaemonSet } from '@coxswain/api/apps/v1';
import type { Affinity, Pod, PodSpec, PodTemplateSpec, Toleration } from '@coxswain/api/core/v1';

/** Label with the hash of the template revision that the pod was created from. */
export const hashLabel = 'controller-revision-hash';
/** The deprecated equivalent, still supported for pods that have only this label. */
const generationLabel = 'pod-template-generation';
const generationAnnotation = 'deprecated.daemonset.template.generation';

const nodePrefix = 'node.kubernetes.io/';
const exists = (key: string, effect: 'NoExecute' | 'NoSchedule'): Toleration => ({
  key: `${nodePrefix}${key}`,
  operator: 'Exists',
  effect,
});

/** Node conditions do not keep daemon pods away: these pods may be needed to repair the node. */
const daemonTolerations: readonly Toleration[] = [
  exists('not-ready', 'NoExecute'),
  exists('unreachable', 'NoExecute'),
  exists('disk-pressure', 'NoSchedule'),
  exists('memory-pressure', 'NoSchedule'),
  exists('pid-pressure', 'NoSchedule'),
  exists('unschedulable', 'NoSchedule'),
];
const hostNetworkToleration = exists('network-unavailable', 'NoSchedule');

/** Returns the tolerations of the set's pods: those of the template, and those of all daemon pods without a time limit. */
export function tolerationsOf({ tolerations, hostNetwork }: PodSpec): Toleration[] {
  const all = hostNetwork ? [...daemonTolerations, hostNetworkToleration] : daemonTolerations;
  const sameAs = (a: Toleration) => (b: Toleration) =>
    a.key === b.key && a.effect === b.effect && a.operator === b.operator && !b.value;
  const own = (tolerations ?? []).map((toleration) => all.find((one) => sameAs(one)(toleration)) ?? toleration);
  return [...own, ...all.filter((one) => !own.some(sameAs(one)))];
}

/** Returns the pod template of the set, without the node affinity of each pod. */
export function daemonTemplate({ metadata, spec }: DaemonSet, hash: string): PodTemplateSpec {
  const { template } = spec ?? {};
  const generation = templateGeneration(metadata.annotations);
  return {
    metadata: {
      ...template?.metadata,
      labels: {
        ...template?.metadata?.labels,
        ...(generation !== undefined && { [generationLabel]: generation }),
        [hashLabel]: hash,
      },
    },
    ...(template?.spec && { spec: { ...template.spec, tolerations: tolerationsOf(template.spec) } }),
  };
}

/** Returns the template of a pod that the scheduler can place only on that node. */
export function forNode(template: PodTemplateSpec, nodeName: string): PodTemplateSpec {
  if (!template.spec) return template;
  const { nodeAffinity, ...others } = template.spec.affinity ?? {};
  const affinity: Affinity = {
    ...others,
    nodeAffinity: {
      ...nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }],
      },
    },
  };
  return { ...template, spec: { ...template.spec, affinity } };
}

/** Returns the node that the pod is bound to or has an affinity for, or undefined when it is not meant for a single node. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const { matchFields } of required?.nodeSelectorTerms ?? []) {
    for (const { key, operator, values } of matchFields ?? []) {
      if (key === 'metadata.name' && operator === 'In') return values?.length === 1 ? values[0] : undefined;
    }
  }
  return undefined;
}

/** Returns a function that says whether a pod was created from the set's current template. */
export function isUpdatedBy({ metadata }: DaemonSet, hash: string): (pod: Pod) => boolean {
  const generation = templateGeneration(metadata.annotations);
  return ({ metadata: { labels } }) =>
    (hash !== '' && labels?.[hashLabel] === hash) ||
    (generation !== undefined && labels?.[generationLabel] === generation);
}

function templateGeneration(annotations: Readonly<Record<string, string>> | undefined): string | undefined {
  const text = annotations?.[generationAnnotation];
  return text !== undefined && /^[-+]?\d{1,18}$/.test(text) ? String(Number(text)) : undefined;
}
