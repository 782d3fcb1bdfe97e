import type { Node, PersistentVolume } from '@coxswain/api/core/v1';

/** A zone or region label of a volume, with its values. */
export interface VolumeTopology {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

const betaPrefix = 'failure-domain.beta.kubernetes.io/';
const prefix = 'topology.kubernetes.io/';
const keys = [`${betaPrefix}zone`, `${betaPrefix}region`, `${prefix}zone`, `${prefix}region`];
const delimiter = '__';

/** Returns the volume's topology labels; invalid ones are ignored. */
export function volumeTopologies({ metadata: { labels } }: PersistentVolume): VolumeTopology[] {
  return keys.flatMap((key) => {
    const values = labels?.[key]?.split(delimiter).map((value) => value.trim());
    return values?.every((value) => value !== '') ? [{ key, values: new Set(values) }] : [];
  });
}

/** Whether the node is in all these zones and regions. A node without any such label matches everything. */
export function isReachable(topologies: readonly VolumeTopology[], { metadata: { labels } }: Node): boolean {
  if (!keys.some((key) => labels?.[key] !== undefined)) return true;
  for (const { key, values } of topologies) {
    const value = labels?.[key] ?? labels?.[key.replace(betaPrefix, prefix)];
    if (value === undefined || !values.has(value)) return false;
  }
  return true;
}

/** Whether both are the same. */
export const areSameTopologies = (a: readonly VolumeTopology[], b: readonly VolumeTopology[]): boolean =>
  textOf(a) === textOf(b);

const textOf = (topologies: readonly VolumeTopology[]): string =>
  JSON.stringify(topologies.map(({ key, values }) => [key, [...values].sort()]));
