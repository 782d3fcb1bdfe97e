import { isResourceExpired } from '@coxswain/apimachinery/errors';
import type { KubernetesList, KubernetesObject, ListMeta, ListOptions } from '@coxswain/apimachinery/meta';
import type { CallOptions } from '../rest/call-options.ts';
import { type Listable, pageByPage } from './pages.ts';

export interface PagedList<T> {
  readonly list: KubernetesList<T>;
  /**
   * Whether the list was fetched in several pages. Then it was read from the store, not from the server's watch cache.
   */
  readonly isPaged: boolean;
}

/**
 * Fetches a whole list page by page, to limit the load on the server. When the continue token expires meanwhile,
 * fetches the whole list in one request. Rejects with errors of `list`.
 */
export async function listInPages<T extends KubernetesObject>(
  client: Listable<T>,
  options: ListOptions & CallOptions = {},
): Promise<PagedList<T>> {
  let list: KubernetesList<T> | undefined;
  let isPaged = false;
  try {
    for await (const page of pageByPage(client, options)) {
      if (list) for (const item of page.items) list.items.push(item);
      // The first page's list, without the metadata that describes only that page.
      else list = page.metadata?.continue ? { ...page, metadata: firstMetadata(page) } : page;
      isPaged ||= Boolean(page.metadata?.continue);
    }
  } catch (error) {
    if (!isPaged || !isResourceExpired(error)) throw error;
    const { limit: _limit, ...whole } = options;
    return { list: await client.list(whole), isPaged };
  }
  return { list: list!, isPaged };
}

function firstMetadata<T>({ metadata = {} }: KubernetesList<T>): ListMeta {
  const { continue: _continue, remainingItemCount: _remaining, ...rest } = metadata;
  return rest;
}
