import type { ResourceList } from '@coxswain/api';
import type { Container, LimitRange, Pod } from '@coxswain/api/core/v1';
import { newRequestEntityTooLarge, setOwnEntry } from '@coxswain/apimachinery';

const annotation = 'kubernetes.io/limit-ranger';

/** More than a pod that can be stored has room for. Upstream makes such pods, and only then sees that they are too large. */
const maxAdded = 100_000;

/** What the range gives containers that ask for nothing themselves. */
function defaultsOf({ spec }: LimitRange, list: 'default' | 'defaultRequest'): ResourceList {
  const all = {};
  for (const item of spec?.limits ?? [])
    if (item.type === 'Container')
      for (const [name, amount] of Object.entries(item[list] ?? {})) setOwnEntry(all, name, amount);
  return all;
}

/** The list with what it does not have yet, and the names of that, in order. */
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
 * Gives containers what the range has for them, and writes down in an annotation what that was. Throws an ApiError (413)
 * for many containers where each would get much.
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
