import { isResourceExpired } from '@coxswain/apimachinery/errors';
import type { KubernetesList, KubernetesObject, ListOptions } from '@coxswain/apimachinery/meta';
import type { Clock } from '../clock/clock.ts';
import { StalledError } from './informer-error.ts';
import type { ListerWatcher } from './lister-watcher.ts';

interface ListAll {
  readonly options: ListOptions;
  /** 0 for everything at once. */
  readonly pageSize: number;
  /** How long a page may take. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** For messages. */
  readonly name: string;
  readonly signal: AbortSignal;
}

interface WholeList<T> {
  readonly items: T[];
  /** Of the first page: the others show the same state. */
  readonly resourceVersion: string;
  /** There was more than one page. */
  readonly inPages: boolean;
}

/**
 * A list in pages, as one. When the state that the first page showed is forgotten before the last one comes, everything
 * is asked for at once.
 */
export async function listAll<T extends KubernetesObject>(
  listerWatcher: ListerWatcher<T>,
  request: ListAll,
): Promise<WholeList<T>> {
  const { options, pageSize } = request;
  const limit = pageSize > 0 ? { limit: pageSize } : {};
  const first = await page(listerWatcher, { ...options, ...limit }, request);
  const resourceVersion = first.metadata?.resourceVersion ?? '';
  const items = withKind(first);
  let next = first.metadata?.continue;
  const inPages = Boolean(next);
  while (next) {
    // The token says of which version it is.
    const { resourceVersion: _, resourceVersionMatch: __, ...others } = options;
    let following: KubernetesList<T>;
    try {
      following = await page(listerWatcher, { ...others, ...limit, continue: next }, request);
    } catch (error) {
      if (!isResourceExpired(error)) throw error;
      const whole = await page(listerWatcher, options, request);
      return { items: withKind(whole), resourceVersion: whole.metadata?.resourceVersion ?? '', inPages };
    }
    for (const item of withKind(following)) items.push(item);
    next = following.metadata?.continue;
  }
  return { items, resourceVersion, inPages };
}

async function page<T extends KubernetesObject>(
  listerWatcher: ListerWatcher<T>,
  options: ListOptions,
  { timeoutMs, clock, name, signal }: ListAll,
): Promise<KubernetesList<T>> {
  const abort = new AbortController();
  const onAbort = (): void => abort.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = clock.setTimeout(() => abort.abort(new StalledError(`list of ${name}`, timeoutMs)), timeoutMs);
  try {
    const list = await listerWatcher.list({ ...options, signal: abort.signal });
    if (list.kind === 'Table' || !Array.isArray(list.items)) throw new Error(`list of ${name}: the answer is no list`);
    return list;
  } catch (error) {
    throw abort.signal.aborted ? abort.signal.reason : error;
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Items say nothing of their kind, unlike the objects of watch events. In the cache all are alike. */
function withKind<T extends KubernetesObject>({ kind, apiVersion, items }: KubernetesList<T>): T[] {
  if (apiVersion === undefined || !kind?.endsWith('List') || kind === 'List') return items;
  const itemKind = kind.slice(0, -'List'.length);
  for (const item of items) {
    item.kind ??= itemKind;
    item.apiVersion ??= apiVersion;
  }
  return items;
}
