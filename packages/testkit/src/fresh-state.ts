import type { StoreSnapshot } from '@coxswain/storage';
import { snapshotOf } from '#cluster';
import { freshObjects } from '#fresh-objects';

export interface FreshStateOptions {
  /** The start time of the cluster. */
  readonly nowMs: number;
  /** The CA certificate that pods trust, in PEM. */
  readonly rootCA: string;
  /** The number of nodes with default specs. */
  readonly nodes: number;
  /** Returns a uid for an object. */
  readonly uuid: () => string;
}

/**
 * Returns the objects that every new cluster creates first, and that are always the same: roles, namespaces, nodes and the like, as if just
 * created. The components handle them as after a restart, and add or repair what is missing. Undefined when running from the sources.
 */
export function freshState({ nowMs, rootCA, nodes, uuid }: FreshStateOptions): StoreSnapshot | undefined {
  if (freshObjects.length === 0) return undefined;
  const values = new Map([
    // Seconds precision without the zone: the common start of all formats of times.
    ['time', new Date(nowMs).toISOString().slice(0, 19)],
    ['ca', JSON.stringify(rootCA).slice(1, -1)],
  ]);
  const fill = (_: string, mark: string): string => {
    const value = values.get(mark) ?? uuid();
    values.set(mark, value);
    return value;
  };
  const encoder = new TextEncoder();
  return snapshotOf(
    freshObjects
      .filter(({ node = -1 }) => node < nodes)
      .map(({ key, text }) => [key, encoder.encode(text.replace(/\{\{(.+?)\}\}/g, fill))]),
  );
}
