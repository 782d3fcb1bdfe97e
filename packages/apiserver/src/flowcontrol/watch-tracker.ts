import { fields } from '@coxswain/apimachinery';
import type { RequestInfo } from '../http/request-context.ts';

/** Watches that select by an indexed field, as kubelets watch pods by node, receive few events and are not counted. */
const indexedFields: ReadonlyMap<string, string> = new Map([['pods', 'spec.nodeName']]);

/** Counts watches by resource, namespace and name. A write costs more the more watches receive its event. */
export class WatchTracker {
  /** By `group/resource`, then by `namespace/name`, either of which is empty for watches of all. All counts are above zero. */
  readonly #counts = new Map<string, Map<string, number>>();

  /** Counts a watch. Returns a function that uncounts it, which must be called once. */
  register({ apiGroup, resource, namespace, name, fieldSelector }: RequestInfo): () => void {
    const indexed = indexedFields.get(resource);
    if (indexed !== undefined && selects(fieldSelector, indexed)) return nothing;
    const target = `${namespace}/${name}`;
    const key = `${apiGroup}/${resource}`;
    this.#add(key, target, 1);
    return () => this.#add(key, target, -1);
  }

  /** Returns the number of watches that may receive an event for a write: those of the resource, the namespace and the object. */
  interested({ apiGroup, resource, namespace, name }: RequestInfo): number {
    const counts = this.#counts.get(`${apiGroup}/${resource}`);
    if (!counts) return 0;
    let count = counts.get('/') ?? 0;
    if (namespace !== '') count += counts.get(`${namespace}/`) ?? 0;
    if (name !== '') count += counts.get(`${namespace}/${name}`) ?? 0;
    return count;
  }

  #add(key: string, target: string, delta: number): void {
    let counts = this.#counts.get(key);
    if (!counts) {
      counts = new Map();
      this.#counts.set(key, counts);
    }
    const count = (counts.get(target) ?? 0) + delta;
    if (count > 0) counts.set(target, count);
    else counts.delete(target);
    if (counts.size === 0) this.#counts.delete(key);
  }
}

const nothing = (): void => {};

function selects(fieldSelector: string, field: string): boolean {
  if (!fieldSelector.includes(field)) return false;
  try {
    return (fields.parse(fieldSelector).requiresExactMatch(field) ?? '') !== '';
  } catch {
    return false;
  }
}
