import type { StoreSnapshot } from '@coxswain/storage';
import { snapshotOf } from '#cluster';
import { freshObjects } from '#fresh-objects';

export interface FreshStateOptions {
  /** When the cluster begins. */
  readonly nowMs: number;
  /** PEM: whom its pods trust. */
  readonly rootCA: string;
  /** How many nodes it has, where they are as they are by default. */
  readonly nodes: number;
  /** Of the objects. */
  readonly uuid: () => string;
}

/**
 * What every new cluster makes first, and always the same: roles, namespaces, nodes and the like, as if
 * just made. Its components find it as after a restart, and add or mend what they miss. Undefined where nobody has built it.
 */
export function freshState({ nowMs, rootCA, nodes, uuid }: FreshStateOptions): StoreSnapshot | undefined {
  if (freshObjects.length === 0) return undefined;
  const values = new Map([
    // To the second, without the zone, as all kinds of times begin.
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
