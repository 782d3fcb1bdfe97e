import { ApiError, newBadRequest, newInternalError, newResourceExpired } from '@coxswain/apimachinery';
import { type CacheEntry, CompactedError, FutureRevisionError, TooLargeRevisionError } from '@coxswain/storage';
import { brokenObject } from './broken-object.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import type { Selection } from './selection.ts';
import { fromStoreError, parseResourceVersion } from './store-error.ts';
import type { StoredObject } from './stored-object.ts';

export interface ListRequest {
  /** Empty for all namespaces. */
  readonly namespace: string;
  readonly selection: Selection;
  /** 0 for no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
}

export interface ListPage {
  readonly objects: readonly StoredObject[];
  readonly revision: number;
  /** The token for the next page; empty on the last page. */
  readonly continue: string;
  /** The number of remaining objects. Undefined on the last page, and with a selector, where it is not known. */
  readonly remaining?: number;
}

/** The number of objects read from the store at a time when a list is filtered. */
const chunk = 500;

/**
 * Returns a page of objects in order of their keys, at the revision that `resourceVersion`, `resourceVersionMatch` and `continue`
 * ask for. Throws Expired when that revision was compacted, and BadRequest for invalid parameters.
 */
export async function listObjects(registry: ResourceRegistry, request: ListRequest): Promise<ListPage> {
  const { groupResource } = registry.definition;
  const prefix = registry.keys.namespacePrefix(request.namespace);
  await registry.ready();
  assertReadable(registry, prefix);
  const where = whereToRead(request, prefix);
  try {
    if (where.revision !== undefined)
      return await shownPage(registry, await listAt(registry, request, prefix, where.from, where.revision));
    const reached = await registry.reach(where.resourceVersion);
    // As upstream, resource version 0 ignores the limit.
    const limit = request.resourceVersion === '0' && !request.continue ? 0 : request.limit;
    await prepareToSelect(registry, request, prefix);
    const page = listFromCache(
      registry,
      { ...request, limit },
      prefix,
      where.from,
      Math.max(reached, registry.cache.revision),
    );
    return await shownPage(registry, page);
  } catch (error) {
    if (error instanceof CompactedError) throw expired(request, prefix, where.from);
    throw fromStoreError(error, groupResource, 'list');
  }
}

interface Where {
  readonly from?: string;
  /** Set when the list must be exactly at this revision. */
  readonly revision?: number;
  readonly resourceVersion: string;
}

function whereToRead(request: ListRequest, prefix: string): Where {
  const { resourceVersion, resourceVersionMatch } = request;
  if (request.continue) {
    if (resourceVersion && resourceVersion !== '0') {
      throw newBadRequest('specifying resource version is not allowed when using continue');
    }
    const { from, revision } = decodeContinue(request.continue, prefix);
    return revision > 0 ? { from, revision, resourceVersion: '' } : { from, resourceVersion: '' };
  }
  const revision = resourceVersion === '' ? 0 : parseListVersion(resourceVersion);
  const exact =
    revision > 0 && (resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && request.limit > 0));
  return exact ? { revision, resourceVersion } : { resourceVersion };
}

const parseListVersion = (text: string): number =>
  parseResourceVersion(text, 'invalid resource version: resourceVersion: Invalid value');

function listFromCache(
  registry: ResourceRegistry,
  request: ListRequest,
  prefix: string,
  from: string | undefined,
  revision: number,
): ListPage {
  const { cache } = registry;
  const { selection, limit } = request;
  const one = singleKey(registry, request);
  if (one !== undefined) {
    const entry = cache.get(one);
    const objects = entry && registry.selects(selection, entry.value) ? [entry.value] : [];
    return { objects, revision, continue: '' };
  }
  if (selection.isEverything) {
    const { entries, remaining } = cache.list(prefix, {
      ...(from !== undefined && { from }),
      ...(limit > 0 && { limit }),
    });
    return page(prefix, revision, entries, remaining > 0, remaining);
  }
  const found: CacheEntry<StoredObject>[] = [];
  for (const entry of cache.list(prefix, from === undefined ? {} : { from }).entries) {
    if (!registry.selects(selection, entry.value)) continue;
    if (limit > 0 && found.length === limit) return page(prefix, revision, found, true);
    found.push(entry);
  }
  return page(prefix, revision, found, false);
}

async function listAt(
  registry: ResourceRegistry,
  request: ListRequest,
  prefix: string,
  from: string | undefined,
  revision: number,
): Promise<ListPage> {
  const { cache, store } = registry;
  await prepareToSelect(registry, request, prefix);
  if (cache.revision === revision) return listFromCache(registry, request, prefix, from, revision);
  if (revision > cache.revision) await cache.waitFor(revision);
  const { selection, limit } = request;
  const found: CacheEntry<StoredObject>[] = [];
  let start = from;
  try {
    for (;;) {
      const part = await store.list(prefix, {
        revision,
        limit: selection.isEverything && limit > 0 ? limit : chunk,
        ...(start !== undefined && { from: start }),
      });
      const entries = part.entries.map((raw) => registry.entryOf(raw));
      if (!selection.isEverything) await registry.prepare(entries.map(({ value }) => value));
      for (const [index, entry] of entries.entries()) {
        if (!registry.selects(selection, entry.value)) continue;
        if (limit > 0 && found.length === limit) return page(prefix, revision, found, true);
        found.push(entry);
        if (limit > 0 && found.length === limit && selection.isEverything) {
          const remaining = part.remaining + part.entries.length - index - 1;
          return page(prefix, revision, found, remaining > 0, remaining);
        }
      }
      const last = part.entries.at(-1);
      if (part.remaining === 0 || !last) return page(prefix, revision, found, false);
      start = `${last.key}\0`;
    }
  } catch (error) {
    if (error instanceof FutureRevisionError) throw new TooLargeRevisionError(revision, error.currentRevision);
    throw error;
  }
}

function page(
  prefix: string,
  revision: number,
  entries: readonly CacheEntry<StoredObject>[],
  more: boolean,
  remaining?: number,
): ListPage {
  const last = entries.at(-1);
  return {
    objects: entries.map(({ value }) => value),
    revision,
    continue: more && last ? encodeContinue({ revision, from: `${last.key}\0` }, prefix) : '',
    ...(more && remaining !== undefined && { remaining }),
  };
}

/** Converts all cached objects that selectors must see in the registry's version. Repeats until no new object needs conversion. */
async function prepareToSelect(registry: ResourceRegistry, { selection }: ListRequest, prefix: string): Promise<void> {
  const { versions } = registry.definition;
  if (!versions || versions.selectsStored || selection.isEverything) return;
  for (;;) {
    const pending = versions.prepare(registry.cache.list(prefix).entries.map(({ value }) => value));
    if (!pending) return;
    await pending;
  }
}

/** Returns the page with its objects in the registry's version. */
async function shownPage(registry: ResourceRegistry, page: ListPage): Promise<ListPage> {
  const { versions } = registry.definition;
  if (!versions) return page;
  await versions.prepare(page.objects);
  return { ...page, objects: page.objects.map((object) => versions.view(object)) };
}

/** Returns the key when at most one object can be selected. */
function singleKey(registry: ResourceRegistry, { namespace, selection }: ListRequest): string | undefined {
  if (selection.name === undefined || (registry.definition.namespaced && namespace === '')) return undefined;
  return `${registry.keys.namespacePrefix(namespace)}${selection.name}`;
}

/** Throws InternalError when an object cannot be decoded. As upstream, lists fail rather than silently omit it. */
function assertReadable({ cache }: ResourceRegistry, prefix: string): void {
  for (const [key, error] of cache.undecodable) {
    if (key.startsWith(prefix)) throw newInternalError(brokenObject(key, error));
  }
}

const tooOldToList = 'The resourceVersion for the provided list is too old.';
const tooOldToContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

/** Returns the Expired error of a compacted revision. For a continued list it contains a token to continue at the current state. */
function expired(request: ListRequest, prefix: string, from: string | undefined): ApiError {
  if (!request.continue || from === undefined) return newResourceExpired(tooOldToList);
  const { status } = newResourceExpired(tooOldToContinue);
  return new ApiError({ ...status, metadata: { continue: encodeContinue({ revision: -1, from }, prefix) } });
}
