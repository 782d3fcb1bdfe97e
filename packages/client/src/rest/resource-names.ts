import { GroupResource, GroupVersionResource } from '@coxswain/apimachinery/meta';
import type { ResourceDescription } from './resource.ts';

interface ResourceNames {
  readonly groupResource: GroupResource;
  readonly groupVersionResource: GroupVersionResource;
}

/** Caches the names by description, while that is referenced. */
const known = new WeakMap<ResourceDescription, ResourceNames>();

/** Returns the names of a resource. The description must not change. */
export function namesOf(description: ResourceDescription): ResourceNames {
  let names = known.get(description);
  if (!names) {
    const { group, version, resource } = description;
    names = {
      groupResource: GroupResource.of(group, resource),
      groupVersionResource: GroupVersionResource.of(group, version, resource),
    };
    known.set(description, names);
  }
  return names;
}
