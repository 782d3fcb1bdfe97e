import type { ResourceList } from '@coxswain/api';
import type { Container, LimitRange, Pod } from '@coxswain/api/core/v1';
import { newRequestEntityTooLarge, setOwnEntry } from '@coxswain/apimachinery';

const annotation = 'kubernetes.io/limit-ranger';

/** More than fits into a pod that can be stored. Upstream sets them all, and then rejects the pod as too large. */
const maxAdded = 100_000;

/** The default limits or requests of the range for containers. */
function defaultsOf({ spec }: LimitRange, list: 'default' | 'defaultRequest'): ResourceList {
  const all = {};
  for (const item of spec?.limits ?? [])
    if (item.type === 'Container')
      for (const [name, amount] of Object.entries(item[list] ?? {})) setOwnEntry(all, name, amount);
  return all;
}

/** Returns the list with missing defaults added, and the sorted names of those. */
function complete(list: ResourceList = {}, defaults: ResourceList): { list: ResourceList; added: string[] } {
  const added = Object.keys(defaults)
    .filter((name) => !Object.hasOwn(list, name))
    .sort();
  if (added.length === 0) return { list, added };
  const all = { ...list };
  for (const name of added) setOwnEntry(all, name, defaults[name] ?? '');
  return { list: all, added };
}

/**
 * Sets the default resources of a range on containers, and records them in an annotation. Throws an ApiError (413) when
 * too many are added in total.
 */
export function setDefaultResources(pod: Pod, range: LimitRange): void {
  const limits = defaultsOf(range, 'default');
  const requests = defaultsOf(range, 'defaultRequest');
  const notes: string[] = [];
  let added = 0;
  const completed =
    (what: string) =>
    (container: Container): Container => {
      const { resources = {} } = container;
      const request = complete(resources.requests, requests);
      const limit = complete(resources.limits, limits);
      if (request.added.length + limit.added.length === 0) return container;
      added += request.added.length + limit.added.length;
      if (added > maxAdded) throw newRequestEntityTooLarge('the default resources of the containers are too large');
      for (const [kind, { added }] of [
        ['request', request],
        ['limit', limit],
      ] as const)
        if (added.length > 0) notes.push(`${added.join(', ')} ${kind} for ${what} ${container.name}`);
      return {
        ...container,
        resources: {
          ...resources,
          ...(Object.keys(request.list).length > 0 && { requests: request.list }),
          ...(Object.keys(limit.list).length > 0 && { limits: limit.list }),
        },
      };
    };
  const { spec } = pod;
  const containers = spec?.containers?.map(completed('container')) ?? [];
  const initContainers = spec?.initContainers?.map(completed('init container'));
  if (notes.length === 0) return;
  pod.spec = { ...spec, containers, ...(initContainers && { initContainers }) };
  const annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${notes.join('; ')}` };
  pod.metadata = { ...pod.metadata, annotations };
}
