import { isResourceExpired, newResourceExpired } from '@coxswain/apimachinery/errors';
import type { KubernetesList, KubernetesObject, ListOptions } from '@coxswain/apimachinery/meta';
import { describe, expect, it } from 'vitest';
import type { CallOptions } from '../rest/call-options.ts';
import { eachItem, listInPages, pages } from './index.ts';

const objects = (from: number, to: number): KubernetesObject[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => ({ metadata: { name: `o${from + i}` } }));

/** A list of `count` items, in pages. The continue token of the page that begins at `expiresAt` has expired. */
function lister(count: number, expiresAt = Number.POSITIVE_INFINITY) {
  const asked: ListOptions[] = [];
  return {
    asked,
    async list({ signal, ...options }: ListOptions & CallOptions = {}): Promise<KubernetesList<KubernetesObject>> {
      asked.push(options);
      signal?.throwIfAborted();
      const from = Number(options.continue ?? 0);
      if (options.continue && from >= expiresAt) throw newResourceExpired('the continue parameter is too old');
      const to = options.limit ? Math.min(count, from + options.limit) : count;
      const metadata = {
        resourceVersion: '7',
        ...(to < count && { continue: String(to), remainingItemCount: count - to }),
      };
      return { kind: 'List', apiVersion: 'v1', metadata, items: objects(from, to) };
    },
  };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('eachItem', () => {
  it('returns all items, in pages of 500', async () => {
    const client = lister(1100);
    expect(await collect(eachItem(client))).toEqual(objects(0, 1100));
    expect(client.asked).toEqual([{ limit: 500 }, { limit: 500, continue: '500' }, { limit: 500, continue: '1000' }]);
  });

  it('sends the resource version only for the first page, and selectors for all', async () => {
    const client = lister(3);
    const selector = { labelSelector: 'a=b', limit: 2 };
    await collect(eachItem(client, { ...selector, resourceVersion: '5', resourceVersionMatch: 'Exact' }));
    expect(client.asked).toEqual([
      { ...selector, resourceVersion: '5', resourceVersionMatch: 'Exact' },
      { ...selector, continue: '2' },
    ]);
  });

  it('rejects when the continue token has expired, because items were already returned', async () => {
    const seen: KubernetesObject[] = [];
    const all = (async () => {
      for await (const item of eachItem(lister(10, 4), { limit: 2 })) seen.push(item);
    })();
    await expect(all).rejects.toSatisfy(isResourceExpired);
    expect(seen).toEqual(objects(0, 4));
  });
});

describe('pages', () => {
  it('fetches at most bufferedPages ahead', async () => {
    const client = lister(100);
    const iterator = pages(client, { limit: 10, bufferedPages: 2 });
    expect((await iterator.next()).value?.items).toEqual(objects(0, 10));
    await new Promise(setImmediate);
    // The returned page, and two ahead.
    expect(client.asked.length).toBe(3);
    await iterator.return();
  });

  it('sends no more requests after the reader has stopped', async () => {
    const client = lister(100);
    for await (const _ of pages(client, { limit: 10, bufferedPages: 0 })) break;
    await new Promise(setImmediate);
    expect(client.asked.length).toBe(1);
  });

  it('rejects with the reason of the signal', async () => {
    const reason = new Error('enough');
    await expect(collect(pages(lister(1), { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
  });
});

describe('listInPages', () => {
  it('joins the pages, with the resource version of the first', async () => {
    const { list, isPaged } = await listInPages(lister(5), { limit: 2 });
    expect(list.items).toEqual(objects(0, 5));
    expect(list.metadata).toEqual({ resourceVersion: '7' });
    expect(isPaged).toBe(true);
  });

  it('returns a list of one page unchanged', async () => {
    expect(await listInPages(lister(5))).toMatchObject({ isPaged: false, list: { items: objects(0, 5) } });
  });

  it('requests the whole list when the token of a later page has expired', async () => {
    const client = lister(5, 2);
    const { list, isPaged } = await listInPages(client, { limit: 2, resourceVersion: '3', labelSelector: 'a=b' });
    expect(list.items).toEqual(objects(0, 5));
    expect(isPaged).toBe(true);
    expect(client.asked.at(-1)).toEqual({ resourceVersion: '3', labelSelector: 'a=b' });
  });

  it('rejects when the first page fails with Expired', async () => {
    const client = lister(5, 0);
    await expect(listInPages(client, { continue: '1' })).rejects.toSatisfy(isResourceExpired);
    expect(client.asked.length).toBe(1);
  });
});
