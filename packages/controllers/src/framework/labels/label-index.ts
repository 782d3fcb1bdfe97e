import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { Indexer, SharedIndexInformer } from '@coxswain/client';

const labelIndex = 'label';

/** The index key of the namespace's objects that have this label. */
export const labelValue = (namespace: string | undefined, key: string, value: string): string =>
  `${namespace}/${key}=${value}`;

/** The index keys of an object. */
const valuesOf = ({ metadata }: KubernetesObject): string[] =>
  Object.entries(metadata?.labels ?? {}).map(([key, value]) => labelValue(metadata?.namespace, key, value));

/** Adds the index that `labelled` uses. Does nothing when it exists. */
export function addLabelIndex<T extends KubernetesObject>(informer: SharedIndexInformer<T>): void {
  if (informer.indexer.hasIndex(labelIndex)) return;
  informer.addIndexers({ [labelIndex]: valuesOf });
}

/** Returns the namespace's objects that have all of these labels. An empty selector matches nothing. */
export function labelled<T extends KubernetesObject>(
  indexer: Indexer<T>,
  namespace: string | undefined,
  selector: Readonly<Record<string, string>>,
): T[] {
  const required = Object.entries(selector);
  let rarest: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const [key, value] of required) {
    const indexed = labelValue(namespace, key, value);
    const count = indexer.countByIndex(labelIndex, indexed);
    if (count === 0) return [];
    if (count < fewest) [rarest, fewest] = [indexed, count];
  }
  if (rarest === undefined) return [];
  const candidates = indexer.byIndex(labelIndex, rarest);
  if (required.length === 1) return candidates;
  return candidates.filter(({ metadata }) => required.every(([key, value]) => metadata?.labels?.[key] === value));
}
