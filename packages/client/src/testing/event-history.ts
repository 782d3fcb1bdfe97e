import type { GroupVersionResource, KubernetesObject } from '@coxswain/apimachinery/meta';
import type { ObjectEvent } from '@coxswain/apimachinery/watch';
import type { Unstructured } from '../dynamic/unstructured.ts';

/** One change to one object. Nobody changes what is in it. */
export interface Change {
  readonly revision: number;
  readonly resource: GroupVersionResource;
  readonly type: ObjectEvent<unknown>['type'];
  readonly object: Unstructured;
  /** As it was before. */
  readonly previous?: Unstructured;
}

/** How many changes a watch can go back. */
const longestHistory = 10_000;

/** The last changes, in order, and those who want to hear of the next. */
export class EventHistory {
  #changes: Change[] = [];
  /** The youngest change that is not kept any more. */
  #forgotten = 0;
  readonly #listeners = new Set<(change: Change) => void>();

  add(change: Change): void {
    this.#changes.push(change);
    if (this.#changes.length > longestHistory) this.#forgotten = this.#changes.shift()?.revision ?? 0;
    for (const listener of [...this.#listeners]) listener(change);
  }

  /** Those after a revision; undefined when some of them are not kept any more. */
  after(revision: number): readonly Change[] | undefined {
    if (revision < this.#forgotten) return undefined;
    return this.#changes.filter((change) => change.revision > revision);
  }

  /** The youngest change that `after` cannot give. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Calls back for every change until the returned function is called. */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** What a change is to somebody who sees only some of the objects. */
export function eventOf(
  { type, object, previous }: Change,
  matches: (object: KubernetesObject) => boolean,
): ObjectEvent<Unstructured> | undefined {
  const was = previous !== undefined && matches(previous);
  const is = type !== 'DELETED' && matches(object);
  if (was && is) return { type: 'MODIFIED', object };
  if (is) return { type: 'ADDED', object };
  if (!was) return undefined;
  if (type === 'DELETED') return { type, object };
  // Its last state that could be seen, in the version that took it away.
  const resourceVersion = object.metadata?.resourceVersion;
  const metadata = { ...previous.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
  return { type: 'DELETED', object: { ...previous, metadata } };
}
