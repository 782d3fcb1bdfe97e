import { isResourceExpired } from '@coxswain/apimachinery/errors';
import type { KubernetesList, KubernetesObject, ListMeta, ListOptions } from '@coxswain/apimachinery/meta';
import type { CallOptions } from '../rest/call-options.ts';
import { type Listable, pageByPage } from './pages.ts';

export interface PagedList<T> {
  readonly list: KubernetesList<T>;
  /** Whether it came in more than one piece: then it was read from the store, not from a cache of the server. */
  readonly isPaged: boolean;
}

/**
 * A whole list, fetched page by page to be easy on the server. When that takes so long that the server has forgotten the
 * moment of the first page, all is fetched again in one piece. Rejects with what `list` rejects with.
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
      // Of the first page, without what is only true for it.
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
