import type { APIResource, APIResourceList } from '@coxswain/apimachinery/meta';
import type { ServerResources } from './discovery-interface.ts';

/**
 * Every resource in one version: the group's preferred version if that has it, otherwise the first that does. No
 * subresources.
 */
export function preferredOf(all: ServerResources): ServerResources {
  const lists = new Map(all.resourceLists.map((list) => [list.groupVersion, list.resources]));
  const resourceLists: APIResourceList[] = [];
  for (const { versions, preferredVersion } of all.groups) {
    const listed = versions.filter(({ groupVersion }) => lists.has(groupVersion));
    /** Resource → the version it is taken from. */
    const chosen = new Map<string, string>();
    for (const { groupVersion, version } of listed) {
      for (const { name } of lists.get(groupVersion) ?? []) {
        if (!chosen.has(name) || version === preferredVersion?.version) chosen.set(name, groupVersion);
      }
    }
    for (const { groupVersion } of listed) {
      const resources = (lists.get(groupVersion) ?? []).filter(
        ({ name }) => !name.includes('/') && chosen.get(name) === groupVersion,
      );
      resourceLists.push({ groupVersion, resources });
    }
  }
  return { ...all, resourceLists };
}

/** The namespaced resources. */
export const namespacedOf = (all: ServerResources): ServerResources => ({
  ...all,
  resourceLists: filteredBy(all.resourceLists, ({ namespaced }) => namespaced),
});

/** The resources for which the predicate returns true; empty lists are left out. */
export function filteredBy(
  lists: readonly APIResourceList[],
  predicate: (resource: APIResource, groupVersion: string) => boolean,
): APIResourceList[] {
  return lists
    .map((list) => ({ ...list, resources: list.resources.filter((it) => predicate(it, list.groupVersion)) }))
    .filter(({ resources }) => resources.length > 0);
}

/** For `filteredBy`: resources that support all of the verbs. */
export const supportsAllVerbs =
  (...verbs: readonly string[]) =>
  (resource: APIResource): boolean =>
    verbs.every((verb) => resource.verbs.includes(verb));
