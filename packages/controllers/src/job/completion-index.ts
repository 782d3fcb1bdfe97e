import type { Job } from '@coxswain/api/batch/v1';
import type { Container, Pod, PodTemplateSpec } from '@coxswain/api/core/v1';
import { failureVerdict } from './pod-failure-policy.ts';

const indexKey = 'batch.kubernetes.io/job-completion-index';
const failureCountKey = 'batch.kubernetes.io/job-index-failure-count';
const ignoredFailureCountKey = 'batch.kubernetes.io/job-index-ignored-failure-count';
const indexVariable = 'JOB_COMPLETION_INDEX';

/** The maximum length of a generateName prefix that the server does not truncate. */
const longestPrefix = 58;
const maxInt32 = 2 ** 31 - 1;

/** Returns the pod's completion index, or undefined without a valid one. */
export function completionIndexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexKey];
  return text !== undefined && /^\+?\d+$/.test(text) ? Number(text) : undefined;
}

/** Returns the completion indexes of the pods. */
export function indexesOf(pods: Iterable<Pod>): Set<number> {
  const indexes = new Set<number>();
  for (const pod of pods) {
    const index = completionIndexOf(pod);
    if (index !== undefined) indexes.add(index);
  }
  return indexes;
}

/**
 * Returns how many pods with the pod's index had failed before it was created. `ignored` are the failures that the pod failure
 * policy ignores.
 */
export function failuresBefore({ metadata }: Pod): { readonly counted: number; readonly ignored: number } {
  const read = (key: string): number => {
    const text = metadata.annotations?.[key] ?? '';
    const count = /^[+-]?\d+$/.test(text) ? Number(text) : 0;
    return count < 0 || count > maxInt32 ? 0 : count;
  };
  return { counted: read(failureCountKey), ignored: read(ignoredFailureCountKey) };
}

/** Returns the sum of counted and ignored failures. */
export function allFailuresBefore(pod: Pod): number {
  const { counted, ignored } = failuresBefore(pod);
  return counted + ignored;
}

/** Returns the template with the index as an environment variable of all containers. */
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

/** Returns the pod for an index. `replaced` is the failed pod that it replaces, if any. */
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

/** Truncates a long name so that the index stays complete. */
function indexedPrefix(name: string, index: number): string {
  const end = `-${index}-`;
  return `${name.slice(0, longestPrefix - end.length)}${end}`;
}
