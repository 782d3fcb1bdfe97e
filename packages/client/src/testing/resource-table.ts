import {
  type APIGroup,
  type APIResource,
  type APIResourceList,
  GroupVersion,
  GroupVersionKind,
  type GroupVersionResource,
} from '@coxswain/apimachinery/meta';
import { guessResource } from '@coxswain/apimachinery/restmapper';

/** The resources of a fake server. */
export class ResourceTable {
  /** By group version, in the order of discovery. */
  readonly #lists = new Map<string, Map<string, APIResource>>();
  readonly #byKind = new Map<GroupVersionKind, GroupVersionResource>();

  constructor(lists: Iterable<APIResourceList>) {
    for (const { groupVersion, resources } of lists) {
      for (const resource of resources) this.#add(GroupVersion.parse(groupVersion), resource);
    }
  }

  /** Creates a table with the built-in resources of Kubernetes and the given ones. */
  static async withBuiltIn(lists: readonly APIResourceList[]): Promise<ResourceTable> {
    const { groupVersionResources } = await import('@coxswain/api/resources');
    const builtIn = groupVersionResources.map(({ group, version, resources }) => ({
      groupVersion: GroupVersion.of(group, version).toString(),
      resources: resources.flatMap((resource) => [
        apiResource(resource.name, resource, resource),
        ...(resource.subresources ?? []).map((it) => apiResource(`${resource.name}/${it.name}`, resource, it)),
      ]),
    }));
    return new ResourceTable([...builtIn, ...lists]);
  }

  /** Returns a resource, or a subresource such as `pods/status`. */
  get({ groupVersion, resource }: GroupVersionResource, subresource = ''): APIResource | undefined {
    return this.#lists.get(groupVersion.toString())?.get(subresource === '' ? resource : `${resource}/${subresource}`);
  }

  /** Returns the resource of a kind. For an unknown kind, adds a resource under its usual name. */
  resourceOf(gvk: GroupVersionKind, isNamespaced: boolean): GroupVersionResource {
    const known = this.#byKind.get(gvk);
    if (known) return known;
    const { plural, singular } = guessResource(gvk.kind);
    const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
    const { groupVersion, kind } = gvk;
    this.#add(groupVersion, { name: plural, singularName: singular, namespaced: isNamespaced, kind, verbs });
    return groupVersion.withResource(plural);
  }

  /** The groups for discovery; the core group's name is empty. */
  groups(): APIGroup[] {
    const groups = new Map<string, APIGroup>();
    for (const groupVersion of this.#lists.keys()) {
      const { group: name, version } = GroupVersion.parse(groupVersion);
      const entry = { groupVersion, version };
      const group = groups.get(name) ?? { name, versions: [], preferredVersion: entry };
      group.versions.push(entry);
      groups.set(name, group);
    }
    return [...groups.values()];
  }

  list(groupVersion: string): APIResourceList | undefined {
    const resources = this.#lists.get(groupVersion);
    return resources && { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: [...resources.values()] };
  }

  #add(groupVersion: GroupVersion, resource: APIResource): void {
    const key = groupVersion.toString();
    const list = this.#lists.get(key) ?? new Map<string, APIResource>();
    this.#lists.set(key, list.set(resource.name, resource));
    if (resource.name.includes('/')) return;
    const gvk = GroupVersionKind.of(groupVersion.group, groupVersion.version, resource.kind);
    this.#byKind.set(gvk, groupVersion.withResource(resource.name));
  }
}

/** The common fields of resources and subresources in the catalogue, where verbs are one string. */
interface Served {
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

const apiResource = (
  name: string,
  { singularName, namespaced }: { singularName: string; namespaced: boolean },
  { kind, group, version, verbs, shortNames, categories }: Served,
): APIResource => ({
  name,
  singularName,
  namespaced,
  ...(group && { group }),
  ...(version && { version }),
  kind,
  verbs: verbs.split(' '),
  ...(shortNames && { shortNames: [...shortNames] }),
  ...(categories && { categories: [...categories] }),
});
