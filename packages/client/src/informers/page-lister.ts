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
  /** Timeout of one page. */
  readonly timeoutMs: number;
  /** Prepares an item for the store; returns undefined to omit it. */
  readonly prepare: (item: T) => T | undefined;
}

/** Wraps a lister: adds a timeout for every page and prepares the items for the store. */
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
      if (list.kind === 'Table' || !Array.isArray(list.items)) throw new Error(`the response is not a list of ${name}`);
      return { ...list, items: this.#prepared(list) };
    } catch (error) {
      throw abort.signal.aborted ? abort.signal.reason : error;
    } finally {
      timer.cancel();
      unlink();
    }
  }

  #prepared({ kind, apiVersion, items }: KubernetesList<T>): T[] {
    // List items have no kind, unlike the objects of watch events. Set it, so that all cached objects are alike.
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
