import { onAbort } from '@coxswain/apimachinery/abort';
import type { Clock } from '@coxswain/apimachinery/clock';
import type { KubernetesList, KubernetesObject, ListOptions } from '@coxswain/apimachinery/meta';
import type { Listable } from '../pager/pages.ts';
import type { CallOptions } from '../rest/call-options.ts';
import { StalledError } from './informer-error.ts';

interface PageListerOptions<T> {
  /** For messages. */
  readonly name: string;
  readonly clock: Clock;
  /** How long a page may take. */
  readonly timeoutMs: number;
  /** Makes an item ready for the store; undefined leaves it out. */
  readonly prepare: (item: T) => T | undefined;
}

/** Lists by another, with a deadline for every page, and items that are ready for the store. */
export class PageLister<T extends KubernetesObject> implements Listable<T> {
  readonly #lister: Listable<T>;
  readonly #options: PageListerOptions<T>;

  constructor(lister: Listable<T>, options: PageListerOptions<T>) {
    this.#lister = lister;
    this.#options = options;
  }

  async list({ signal, ...options }: ListOptions & CallOptions = {}): Promise<KubernetesList<T>> {
    const { name, clock, timeoutMs } = this.#options;
    const abort = new AbortController();
    if (signal?.aborted) abort.abort(signal.reason);
    const unlink = onAbort(signal, () => abort.abort(signal?.reason));
    const timer = clock.setTimeout(() => abort.abort(new StalledError(`list of ${name}`, timeoutMs)), timeoutMs);
    try {
      const list = await this.#lister.list({ ...options, signal: abort.signal });
      if (list.kind === 'Table' || !Array.isArray(list.items)) throw new Error(`the answer is no list of ${name}`);
      return { ...list, items: this.#prepared(list) };
    } catch (error) {
      throw abort.signal.aborted ? abort.signal.reason : error;
    } finally {
      timer.cancel();
      unlink();
    }
  }

  #prepared({ kind, apiVersion, items }: KubernetesList<T>): T[] {
    // Items say nothing of their kind, unlike the objects of watch events. In the cache all are alike.
    const itemKind = kind !== 'List' && kind?.endsWith('List') ? kind.slice(0, -'List'.length) : undefined;
    const prepared: T[] = [];
    for (const item of items) {
      if (itemKind && apiVersion) {
        item.kind ??= itemKind;
        item.apiVersion ??= apiVersion;
      }
      const ready = this.#options.prepare(item);
      if (ready !== undefined) prepared.push(ready);
    }
    return prepared;
  }
}
