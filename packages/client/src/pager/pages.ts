import { onAbort } from '@coxswain/apimachinery/abort';
import type { KubernetesList, KubernetesObject, ListOptions } from '@coxswain/apimachinery/meta';
import type { CallOptions } from '../rest/call-options.ts';

/** What can be listed: a ResourceClient and its like. */
export interface Listable<T> {
  list(options?: ListOptions & CallOptions): Promise<KubernetesList<T>>;
}

export interface PageOptions extends ListOptions, CallOptions {
  /** Pages that may be fetched ahead of the reader. Default: 1; client-go has 10. */
  readonly bufferedPages?: number;
}

/** Items on a page, unless `limit` says otherwise. */
export const defaultPageSize = 500;

/**
 * A list page by page, the next ones fetched while one is worked on. All pages show the same moment. Rejects with what
 * `list` rejects with; when it takes so long that the server has forgotten that moment, that is an `Expired` error.
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

/** Every item of a list that is fetched page by page. Rejects as `pages` does. */
export async function* eachItem<T extends KubernetesObject>(
  client: Listable<T>,
  options: PageOptions = {},
): AsyncGenerator<T, void, undefined> {
  for await (const { items } of pages(client, options)) yield* items;
}

/** One request after another, none before it is asked for. */
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
    // The token names the moment; servers refuse to be told twice.
    const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = next;
    next = { ...rest, continue: token };
  }
}

/** The same, with up to so many taken before they are asked for. */
async function* fetchAhead<P>(
  source: AsyncGenerator<P, void, undefined>,
  ahead: number,
): AsyncGenerator<P, void, undefined> {
  const fetching: Promise<IteratorResult<P, void>>[] = [];
  const fetch = (): void => {
    const next = source.next();
    // Whoever comes to it hears of it; until then it is no unhandled rejection.
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
