import type { DaemonSet } from '@coxswain/api/apps/v1';
import type { Affinity, Pod, PodSpec, PodTemplateSpec, Toleration } from '@coxswain/api/core/v1';

/** Which revision of the set's template a pod is from. */
export const hashLabel = 'controller-revision-hash';
/** The same in older terms, kept up for pods that have nothing else. */
const generationLabel = 'pod-template-generation';
const generationAnnotation = 'deprecated.daemonset.template.generation';

const nodePrefix = 'node.kubernetes.io/';
const exists = (key: string, effect: 'NoExecute' | 'NoSchedule'): Toleration => ({
  key: `${nodePrefix}${key}`,
  operator: 'Exists',
  effect,
});

/** What ails a node does not keep daemons from it: they may be what cures it. */
const daemonTolerations: readonly Toleration[] = [
  exists('not-ready', 'NoExecute'),
  exists('unreachable', 'NoExecute'),
  exists('disk-pressure', 'NoSchedule'),
  exists('memory-pressure', 'NoSchedule'),
  exists('pid-pressure', 'NoSchedule'),
  exists('unschedulable', 'NoSchedule'),
];
const hostNetworkToleration = exists('network-unavailable', 'NoSchedule');

/** The tolerations of a daemon set's pods: their own, and those that all daemons have, without a limit in time. */
export function tolerationsOf({ tolerations, hostNetwork }: PodSpec): Toleration[] {
  const all = hostNetwork ? [...daemonTolerations, hostNetworkToleration] : daemonTolerations;
  const sameAs = (a: Toleration) => (b: Toleration) =>
    a.key === b.key && a.effect === b.effect && a.operator === b.operator && !b.value;
  const own = (tolerations ?? []).map((toleration) => all.find((one) => sameAs(one)(toleration)) ?? toleration);
  return [...own, ...all.filter((one) => !own.some(sameAs(one)))];
}

/** The template of the set's pods, but for the node that each is for. */
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

/** The template for a pod that the scheduler puts on that node, and on no other. */
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

/** The node that a pod is on, or meant for; undefined for a pod that is meant for none in particular. */
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

/** Tells of pods whether they are from the set's template as it is now. */
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
