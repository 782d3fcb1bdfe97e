import { GroupResource, GroupVersionResource } from '@coxswain/apimachinery/meta';
import type { ResourceDescription } from './resource.ts';

interface ResourceNames {
  readonly groupResource: GroupResource;
  readonly groupVersionResource: GroupVersionResource;
}

/** Of descriptions that are in use. Names that nobody holds are made anew each time, and collected again. */
const known = new WeakMap<ResourceDescription, ResourceNames>();

/** The names of a resource. A description does not change. */
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
