import { GroupResource, GroupVersion, type GroupVersionResource } from '../meta/group-version.ts';
import { quote } from '../strconv/quote.ts';
import type { Discovery } from './discovery.ts';

interface Named {
  readonly name: string;
  readonly group: string;
  readonly longForm: GroupResource;
}

/** Short names (`po`) and categories (`all`), as discovery lists them. */
export class Shortcuts {
  /** By priority: the first entry of a name is the chosen one. */
  readonly #shortNames: readonly Named[];
  readonly #categories = new Map<string, Set<GroupResource>>();
  /** Full names, plural or singular → the groups that have them. */
  readonly #fullNames = new Map<string, Set<string>>();

  constructor({ resourceLists }: Discovery) {
    const shortNames: Named[] = [];
    for (const { groupVersion, resources } of resourceLists) {
      const version = GroupVersion.tryParse(groupVersion);
      if (!version) continue;
      const { group } = version;
      for (const { name, singularName, shortNames: short = [], categories = [] } of resources) {
        const longForm = GroupResource.of(group, name);
        entryOf(this.#fullNames, name).add(group);
        entryOf(this.#fullNames, singularName).add(group);
        for (const shortName of short) shortNames.push({ name: shortName, group, longForm });
        for (const category of categories) entryOf(this.#categories, category).add(longForm);
      }
    }
    this.#shortNames = shortNames;
  }

  /**
   * Returns the resources of a category; undefined when there is no such category.
   *
   * Differs from upstream: each resource is listed once; upstream lists it once for every version and leaves it to the caller to remove
   * duplicates.
   */
  category(name: string): GroupResource[] | undefined {
    const resources = this.#categories.get(name);
    return resources && [...resources];
  }

  /**
   * Returns the resource that a short name stands for, in any version. Any other name is returned unchanged. A full name is never
   * interpreted as a short one. Other resources with the same short name are reported to `onWarning`. Groups may be abbreviated to their
   * beginning when no group matches in full.
   */
  expand(resource: GroupVersionResource, onWarning?: (message: string) => void): GroupVersionResource {
    const inGroup = (group: string): boolean => resource.group === '' || resource.group === group;
    if ([...(this.#fullNames.get(resource.resource) ?? [])].some(inGroup)) return resource;

    const sameName = this.#shortNames.filter(({ name }) => name === resource.resource);
    const meant = new Set(sameName.filter(({ group }) => inGroup(group)).map(({ longForm }) => longForm));
    const [first, ...others] = meant;
    if (first) {
      for (const other of others) {
        onWarning?.(`short name ${quote(resource.resource)} could also match lower priority resource ${other}`);
      }
      return first.withVersion('');
    }
    const byPrefix = sameName.find(({ group }) => group.startsWith(resource.group));
    return byPrefix && resource.group !== '' ? byPrefix.longForm.withVersion(resource.version) : resource;
  }
}

function entryOf<T>(map: Map<string, Set<T>>, key: string): Set<T> {
  let set = map.get(key);
  if (!set) {
    set = new Set();
    map.set(key, set);
  }
  return set;
}
