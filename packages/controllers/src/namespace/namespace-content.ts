import type { Pod } from '@coxswain/api/core/v1';
import { isMethodNotSupported, isNotFound } from '@coxswain/apimachinery/errors';
import {
  type APIResourceList,
  GroupVersion,
  type GroupVersionResource,
  type KubernetesObject,
} from '@coxswain/apimachinery/meta';
import { listInPages, type MetadataResourceInterface } from '@coxswain/client';
import type { ControllerContext } from '../framework/controller/controller.ts';

/** A namespaced resource whose objects can be deleted. */
export interface DeletableResource {
  readonly resource: GroupVersionResource;
  readonly verbs: readonly string[];
}

/** The remaining objects of a resource in a namespace. */
export interface Content {
  readonly resource: GroupVersionResource;
  readonly remaining: number;
  /** The number of objects with each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Estimated seconds until the objects are gone; 0 when unknown. */
  readonly estimateSeconds: number;
  /** Why the objects could not be listed or deleted. */
  readonly failure?: Error;
}

/** The estimate for objects with finalizers. */
const finalizerEstimateSeconds = 15;
const background = { propagationPolicy: 'Background' } as const;

export const deletableIn = (lists: readonly APIResourceList[]): DeletableResource[] =>
  lists.flatMap(({ groupVersion, resources }) =>
    resources
      .filter(({ verbs }) => verbs.includes('delete'))
      .map(({ name, verbs }) => ({ resource: GroupVersion.parse(groupVersion).withResource(name), verbs })),
  );

export const isPods = ({ resource: { group, version, resource } }: Pick<DeletableResource, 'resource'>): boolean =>
  group === '' && version === 'v1' && resource === 'pods';

/** Deletes the objects of one resource in a namespace and returns what remains. Rejects only when the signal is aborted. */
export async function deleteContent(
  { clients, metadata, clock }: Pick<ControllerContext, 'clients' | 'metadata' | 'clock'>,
  deletable: DeletableResource,
  { name: namespace, deletedAtMs }: { readonly name: string; readonly deletedAtMs: number },
  signal: AbortSignal,
): Promise<Content> {
  const { resource, verbs } = deletable;
  const objects = metadata.resource(resource).inNamespace(namespace);
  let estimateSeconds = 0;
  const content = (items: readonly KubernetesObject[], more: Partial<Content> = {}): Content => ({
    resource,
    remaining: items.length,
    finalizers: finalizersOf(items),
    estimateSeconds,
    ...more,
  });
  try {
    if (!verbs.includes('list')) {
      if (verbs.includes('deletecollection')) await supported(objects.deleteCollection({ ...background, signal }));
      return content([]);
    }
    let items: readonly KubernetesObject[] | undefined;
    if (isPods(deletable)) {
      const pods = (await listInPages(clients.core.v1.pods(namespace), { signal })).list.items;
      const graceSeconds = longestGrace(pods);
      if (clock.now() - deletedAtMs < graceSeconds * 1000) estimateSeconds = graceSeconds;
      items = pods;
    } else {
      items = await listed(objects, signal);
    }
    // In most cases there are no objects, or all are being deleted already, and no request is needed.
    if (items?.some(({ metadata: { deletionTimestamp } = {} }) => !deletionTimestamp)) {
      await deleteAll(objects, items, verbs, signal);
      items = await listed(objects, signal);
    }
    if (!items || items.length === 0) return content([], { estimateSeconds: 0 });
    if (estimateSeconds !== 0) return content(items);
    if (finalizersOf(items).size > 0) return content(items, { estimateSeconds: finalizerEstimateSeconds });
    const { group, version } = resource;
    const which = `${group}/${version}, Resource=${resource.resource}`;
    const failure = new Error(`unexpected items still remain in namespace: ${namespace} for gvr: ${which}`);
    return content(items, { failure });
  } catch (error) {
    signal.throwIfAborted();
    return content([], { failure: error instanceof Error ? error : new Error(String(error)) });
  }
}

async function deleteAll(
  objects: MetadataResourceInterface,
  items: readonly KubernetesObject[],
  verbs: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (verbs.includes('deletecollection')) {
    const isDone = await supported(objects.deleteCollection({ ...background, signal }).then(() => true));
    if (isDone) return;
  }
  for (const { metadata } of items) await supported(objects.delete(metadata?.name ?? '', { ...background, signal }));
}

/** Returns undefined when the resource no longer exists. */
async function listed(
  objects: MetadataResourceInterface,
  signal: AbortSignal,
): Promise<readonly KubernetesObject[] | undefined> {
  return (await supported(listInPages(objects, { signal })))?.list.items;
}

/** Resolves with undefined when the server does not support the request or the resource, even if discovery lists it. */
async function supported<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isMethodNotSupported(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

/** Returns the longest grace period of the running pods. */
function longestGrace(pods: readonly Pod[]): number {
  const running = pods.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
  return running.reduce((longest, { spec }) => Math.max(longest, Number(spec?.terminationGracePeriodSeconds ?? 0)), 0);
}

function finalizersOf(items: readonly KubernetesObject[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const finalizer of items.flatMap(({ metadata }) => metadata?.finalizers ?? []))
    counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
  return counts;
}
