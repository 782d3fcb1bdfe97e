import type { Job } from '@coxswain/api/batch/v1';
import type { Container, Pod, PodTemplateSpec } from '@coxswain/api/core/v1';
import { failureVerdict } from './pod-failure-policy.ts';

const indexKey = 'batch.kubernetes.io/job-completion-index';
const failureCountKey = 'batch.kubernetes.io/job-index-failure-count';
const ignoredFailureCountKey = 'batch.kubernetes.io/job-index-ignored-failure-count';
const indexVariable = 'JOB_COMPLETION_INDEX';

/** So long may a prefix be that a name is made up from. */
const longestPrefix = 58;
const maxInt32 = 2 ** 31 - 1;

/** Which of the Job's completions the pod works for; undefined when it does not say. */
export function completionIndexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexKey];
  return text !== undefined && /^\+?\d+$/.test(text) ? Number(text) : undefined;
}

/** The indexes that pods work for. */
export function indexesOf(pods: Iterable<Pod>): Set<number> {
  const indexes = new Set<number>();
  for (const pod of pods) {
    const index = completionIndexOf(pod);
    if (index !== undefined) indexes.add(index);
  }
  return indexes;
}

/** How many pods of its index had failed when the pod was made. Ignored by the policy are those that do not count. */
export function failuresBefore({ metadata }: Pod): { readonly counted: number; readonly ignored: number } {
  const read = (key: string): number => {
    const text = metadata.annotations?.[key] ?? '';
    const count = /^[+-]?\d+$/.test(text) ? Number(text) : 0;
    return count < 0 || count > maxInt32 ? 0 : count;
  };
  return { counted: read(failureCountKey), ignored: read(ignoredFailureCountKey) };
}

/** Of both kinds. */
export function allFailuresBefore(pod: Pod): number {
  const { counted, ignored } = failuresBefore(pod);
  return counted + ignored;
}

/** The template, by which containers know their index. */
export function withIndexVariable(template: PodTemplateSpec): PodTemplateSpec {
  const { initContainers, containers, ...spec } = template.spec!;
  return {
    ...template,
    spec: {
      ...spec,
      ...(initContainers && { initContainers: initContainers.map(knowingIndex) }),
      containers: containers.map(knowingIndex),
    },
  };
}

function knowingIndex(container: Container): Container {
  const env = container.env ?? [];
  if (env.some(({ name }) => name === indexVariable)) return container;
  const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${indexKey}']` } };
  return { ...container, env: [...env, { name: indexVariable, valueFrom }] };
}

/** The pod for an index, in place of the one that failed before it, if any did. */
export function podOfIndex(pod: Pod, job: Job, index: number, replaced: Pod | undefined): Pod {
  const { labels, annotations } = pod.metadata;
  const { name = '' } = job.metadata;
  return {
    metadata: {
      ...pod.metadata,
      generateName: indexedPrefix(name, index),
      labels: { ...labels, [indexKey]: `${index}` },
      annotations: {
        ...annotations,
        [indexKey]: `${index}`,
        ...(job.spec?.backoffLimitPerIndex !== undefined && failureCounts(job, replaced)),
      },
    },
    spec: { ...pod.spec!, hostname: `${name}-${index}` },
  };
}

function failureCounts(job: Job, replaced: Pod | undefined): Record<string, string> {
  let { counted, ignored } = replaced ? failuresBefore(replaced) : { counted: 0, ignored: 0 };
  if (replaced) {
    if (failureVerdict(job.spec?.podFailurePolicy, replaced).counts) counted++;
    else ignored++;
  }
  return { [failureCountKey]: `${counted}`, ...(ignored > 0 && { [ignoredFailureCountKey]: `${ignored}` }) };
}

/** Of a name that is too long, the end goes, not the index. */
function indexedPrefix(name: string, index: number): string {
  const end = `-${index}-`;
  return `${name.slice(0, longestPrefix - end.length)}${end}`;
}
