import { fields } from '@coxswain/apimachinery';
import type { RequestInfo } from '../http/request-context.ts';

/** Pods are watched by node: such a watch hears of few of all events, and is not counted. */
const indexedFields: ReadonlyMap<string, string> = new Map([['pods', 'spec.nodeName']]);

/** Counts watches by what they are for: a write costs more the more of them hear of it. */
export class WatchTracker {
  /** By resource, then by `namespace/name`, either of which is empty for all. Nothing with a count of zero is kept. */
  readonly #counts = new Map<string, Map<string, number>>();

  /** Gives the way to forget it, to be used once. */
  register({ apiGroup, resource, namespace, name, fieldSelector }: RequestInfo): () => void {
    const indexed = indexedFields.get(resource);
    if (indexed !== undefined && selects(fieldSelector, indexed)) return nothing;
    const target = `${namespace}/${name}`;
    const key = `${apiGroup}/${resource}`;
    this.#add(key, target, 1);
    return () => this.#add(key, target, -1);
  }

  /** How many may hear of what the request does: of all objects, of the namespace's, and of this one. */
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
