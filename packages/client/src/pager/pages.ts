import { onAbort } from '@coxswain/apimachinery/abort';
import type { KubernetesList, KubernetesObject, ListOptions } from '@coxswain/apimachinery/meta';
import type { CallOptions } from '../rest/call-options.ts';

/** A client that can list, such as a ResourceClient. */
export interface Listable<T> {
  list(options?: ListOptions & CallOptions): Promise<KubernetesList<T>>;
}

export interface PageOptions extends ListOptions, CallOptions {
  /** Maximum number of pages fetched ahead of the reader. Default: 1; client-go's is 10. */
  readonly bufferedPages?: number;
}

/** Items per page unless `limit` is given. */
export const defaultPageSize = 500;

/**
 * Yields a list page by page, and fetches the next pages meanwhile. All pages are from one snapshot. Rejects with
 * errors of `list`, which include `Expired` when the snapshot expires before the last page.
 */
export async function* pages<T extends KubernetesObject>(
  client: Listable<T>,
  { bufferedPages = 1, ...options }: PageOptions = {},
): AsyncGenerator<KubernetesList<T>, void, undefined> {
  const abort = new AbortController();
  const { signal } = options;
  if (signal?.aborted) throw signal.reason;
  const unlink = onAbort(signal, () => abort.abort(signal?.reason));
  const fetched = fetchAhead(pageByPage(client, { ...options, signal: abort.signal }), bufferedPages);
  try {
    yield* fetched;
  } finally {
    unlink();
    abort.abort();
  }
}

/** Yields every item of a list that is fetched page by page. Rejects like `pages`. */
export async function* eachItem<T extends KubernetesObject>(
  client: Listable<T>,
  options: PageOptions = {},
): AsyncGenerator<T, void, undefined> {
  for await (const { items } of pages(client, options)) yield* items;
}

/** Yields one page per request; requests are sent on demand. */
export async function* pageByPage<T extends KubernetesObject>(
  client: Listable<T>,
  options: ListOptions & CallOptions,
): AsyncGenerator<KubernetesList<T>, void, undefined> {
  let next: ListOptions & CallOptions = { ...options, limit: options.limit || defaultPageSize };
  for (;;) {
    const page = await client.list(next);
    yield page;
    const token = page.metadata?.continue;
    if (!token) return;
    // The token contains the resource version; servers reject requests with both.
    const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = next;
    next = { ...rest, continue: token };
  }
}

/** Yields the values of `source`, and requests up to `ahead` of them in advance. */
async function* fetchAhead<P>(
  source: AsyncGenerator<P, void, undefined>,
  ahead: number,
): AsyncGenerator<P, void, undefined> {
  const fetching: Promise<IteratorResult<P, void>>[] = [];
  const fetch = (): void => {
    const next = source.next();
    // The consumer gets the rejection later; this prevents an unhandled rejection until then.
    next.catch(() => {});
    fetching.push(next);
  };
  for (;;) {
    if (fetching.length === 0) fetch();
    const result = await fetching.shift()!;
    if (result.done) return;
    while (fetching.length < ahead) fetch();
    yield result.value;
  }
}
