import type { Node, PersistentVolume } from '@coxswain/api/core/v1';

/** A label by which a volume says where it is, and where that is. */
export interface VolumeTopology {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

const betaPrefix = 'failure-domain.beta.kubernetes.io/';
const prefix = 'topology.kubernetes.io/';
const keys = [`${betaPrefix}zone`, `${betaPrefix}region`, `${prefix}zone`, `${prefix}region`];
const delimiter = '__';

/** What the volume's labels say; one that makes no sense says nothing. */
export function volumeTopologies({ metadata: { labels } }: PersistentVolume): VolumeTopology[] {
  return keys.flatMap((key) => {
    const values = labels?.[key]?.split(delimiter).map((value) => value.trim());
    return values?.every((value) => value !== '') ? [{ key, values: new Set(values) }] : [];
  });
}

/** Whether what is there can be used on the node. A node that says nothing of where it is is everywhere. */
export function isReachable(topologies: readonly VolumeTopology[], { metadata: { labels } }: Node): boolean {
  if (!keys.some((key) => labels?.[key] !== undefined)) return true;
  for (const { key, values } of topologies) {
    const value = labels?.[key] ?? labels?.[key.replace(betaPrefix, prefix)];
    if (value === undefined || !values.has(value)) return false;
  }
  return true;
}

/** Whether they say the same. */
export const areSameTopologies = (a: readonly VolumeTopology[], b: readonly VolumeTopology[]): boolean =>
  textOf(a) === textOf(b);

const textOf = (topologies: readonly VolumeTopology[]): string =>
  JSON.stringify(topologies.map(({ key, values }) => [key, [...values].sort()]));
