import type { GroupVersionResource, KubernetesObject } from '@coxswain/apimachinery/meta';
import type { ObjectEvent } from '@coxswain/apimachinery/watch';
import type { Unstructured } from '../dynamic/unstructured.ts';

/** A change of an object. Immutable. */
export interface Change {
  readonly revision: number;
  readonly resource: GroupVersionResource;
  readonly type: ObjectEvent<unknown>['type'];
  readonly object: Unstructured;
  /** The object before the change. */
  readonly previous?: Unstructured;
}

/** Maximum number of kept changes. */
const longestHistory = 10_000;

/** The last changes, in order, and the listeners for the next. */
export class EventHistory {
  #changes: Change[] = [];
  /** Revision of the newest change that is no longer kept. */
  #forgotten = 0;
  readonly #listeners = new Set<(change: Change) => void>();

  add(change: Change): void {
    this.#changes.push(change);
    if (this.#changes.length > longestHistory) this.#forgotten = this.#changes.shift()?.revision ?? 0;
    for (const listener of [...this.#listeners]) listener(change);
  }

  /** Returns the changes after a revision; undefined when some of them are no longer kept. */
  after(revision: number): readonly Change[] | undefined {
    if (revision < this.#forgotten) return undefined;
    return this.#changes.filter((change) => change.revision > revision);
  }

  /** Revision of the newest change that `after` cannot return. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Calls the listener for every change until the returned function is called. */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Returns the watch event of a change for a watch with a selector; undefined if it does not concern that. */
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
  // The last matching state, with the resourceVersion of this change.
  const resourceVersion = object.metadata?.resourceVersion;
  const metadata = { ...previous.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
  return { type: 'DELETED', object: { ...previous, metadata } };
}
