import {
  type GroupKind,
  type GroupResource,
  GroupVersion,
  type GroupVersionKind,
  GroupVersionResource,
  parseKindArg,
  parseResourceArg,
} from '../meta/group-version.ts';
import { API_VERSION_INTERNAL } from '../runtime/object.ts';
import { quote } from '../strconv/quote.ts';
import type { Discovery } from './discovery.ts';
import {
  AmbiguousKindError,
  AmbiguousResourceError,
  isAmbiguousError,
  isNoMatchError,
  NoKindMatchError,
  NoResourceMatchError,
} from './match-errors.ts';
import { Shortcuts } from './shortcuts.ts';
import { type RESTMapping, VersionTable } from './version-table.ts';

export interface RESTMapperOptions {
  /** Called when a short name stands for several resources. */
  onWarning?: (message: string) => void;
}

/**
 * Maps resources to kinds and back, by a server's discovery. Immutable: create a new one when discovery changes.
 *
 * A resource may be given in part. Without a group it is searched in all groups. A group may be abbreviated to its beginning (`storage`
 * for `storage.k8s.io`) unless a version is given with it. The name may be plural, singular or short. Names are case-insensitive, except
 * short names. Of several matches the first one wins: the core group comes first, then groups in the order of discovery, and within a
 * group its preferred version.
 */
export class RESTMapper {
  /** In discovery's order. */
  readonly #tables: readonly VersionTable[];
  readonly #shortcuts: Shortcuts;
  readonly #onWarning: ((message: string) => void) | undefined;

  constructor(discovery: Discovery, options: RESTMapperOptions = {}) {
    this.#tables = buildTables(discovery);
    this.#shortcuts = new Shortcuts(discovery);
    this.#onWarning = options.onWarning;
  }

  /** Returns the one resource meant. Throws NoResourceMatchError or AmbiguousResourceError. */
  resourceFor(partial: GroupVersionResource): GroupVersionResource {
    const resource = this.#shortcuts.expand(partial, this.#onWarning);
    const matches = this.#resourcesFor(resource);
    const chosen = this.#preferred(matches);
    if (!chosen) throw new AmbiguousResourceError(resource, { resources: matches });
    return chosen;
  }

  /** Returns all resources that could be meant, in discovery's order. Throws NoResourceMatchError when there is none. */
  resourcesFor(partial: GroupVersionResource): GroupVersionResource[] {
    return this.#resourcesFor(this.#shortcuts.expand(partial, this.#onWarning));
  }

  /** Returns the one kind meant. Throws NoResourceMatchError or AmbiguousResourceError. */
  kindFor(partial: GroupVersionResource): GroupVersionKind {
    const resource = this.#shortcuts.expand(partial, this.#onWarning);
    const matches = this.#kindsFor(resource);
    const chosen = this.#preferred(matches);
    if (!chosen) throw new AmbiguousResourceError(resource, { kinds: matches });
    return chosen;
  }

  /** Returns all kinds that could be meant, in discovery's order. Throws NoResourceMatchError when there is none. */
  kindsFor(partial: GroupVersionResource): GroupVersionKind[] {
    return this.#kindsFor(this.#shortcuts.expand(partial, this.#onWarning));
  }

  /**
   * Returns the mapping of a kind: in the first of the versions that has it, or in the preferred version when none is given. Throws
   * NoKindMatchError or AmbiguousKindError.
   */
  restMapping(kind: GroupKind, ...versions: string[]): RESTMapping {
    const mappings = this.restMappings(kind, ...versions);
    const asked = versions.find((version) => mappings.some((mapping) => mapping.kind.version === version));
    const candidates = asked === undefined ? mappings : mappings.filter(({ kind: { version } }) => version === asked);
    const chosen = this.#preferred(candidates.map((mapping) => mapping.kind));
    const mapping = candidates.find((candidate) => candidate.kind === chosen);
    if (!mapping) {
      throw new AmbiguousKindError(kind.withVersion(''), { kinds: mappings.map((candidate) => candidate.kind) });
    }
    return mapping;
  }

  /** Returns all mappings of a kind, in discovery's order. Throws NoKindMatchError when there is none. */
  restMappings(kind: GroupKind, ...versions: string[]): RESTMapping[] {
    const searched = versions.filter((version) => version !== '' && version !== API_VERSION_INTERNAL);
    const mappings = this.#tables
      .filter(
        ({ version: { group, version } }) =>
          group === kind.group && (searched.length === 0 || searched.includes(version)),
      )
      .flatMap((table) => table.mappingOf(kind.kind) ?? []);
    if (mappings.length === 0) throw new NoKindMatchError(kind, versions);
    return mappings;
  }

  /**
   * Returns the mapping of what a user typed: `po`, `pods`, `deploy.apps`, `deployments.v1.apps`, or a kind, `Deployment.v1.apps`. Throws
   * an Error with kubectl's message.
   */
  mappingForArg(arg: string): RESTMapping {
    const { groupVersionResource, groupResource } = parseResourceArg(arg);
    const { groupVersionKind, groupKind } = parseKindArg(arg);
    const resources = [...(groupVersionResource ? [groupVersionResource] : []), groupResource.withVersion('')];
    for (const resource of resources.filter((it) => it.resource !== '')) {
      const kind = unlessUnclear(() => this.kindFor(resource));
      if (kind) return this.restMapping(kind.groupKind, kind.version);
    }
    const mapping =
      (groupVersionKind &&
        unlessUnclear(() => this.restMapping(groupVersionKind.groupKind, groupVersionKind.version))) ??
      unlessUnclear(() => this.restMapping(groupKind));
    if (!mapping) throw new Error(`the server doesn't have a resource type ${quote(groupResource.resource)}`);
    return mapping;
  }

  /** Returns the singular of a plural, singular or short name. Throws NoResourceMatchError. */
  resourceSingularizer(name: string): string {
    const { resource } = this.#shortcuts.expand(GroupVersionResource.of('', '', name), this.#onWarning);
    const wanted = resource.toLowerCase();
    for (const table of this.#tables) {
      const singulars = new Set(table.resourcesNamed(wanted).map((it) => table.singularOf(it.resource)));
      const [singular] = singulars;
      if (singulars.size === 1 && singular !== undefined) return singular;
    }
    throw new NoResourceMatchError(GroupVersionResource.of('', '', wanted));
  }

  /** Returns the resources of a category such as `all`, each once, in any version; undefined when there is no such category. */
  expandCategory(category: string): GroupResource[] | undefined {
    return this.#shortcuts.category(category);
  }

  #resourcesFor(resource: GroupVersionResource): GroupVersionResource[] {
    const matches = this.#search(resource).flatMap((table) => table.resourcesNamed(resource.resource.toLowerCase()));
    if (matches.length === 0) throw new NoResourceMatchError(resource);
    return [...new Set(matches)];
  }

  #kindsFor(resource: GroupVersionResource): GroupVersionKind[] {
    const matches = this.#search(resource).flatMap((table) => table.kindNamed(resource.resource.toLowerCase()) ?? []);
    if (matches.length === 0) throw new NoResourceMatchError(resource);
    return [...new Set(matches)];
  }

  #search({ group, version: given, resource }: GroupVersionResource): VersionTable[] {
    const version = given === API_VERSION_INTERNAL ? '' : given;
    if (resource === '') {
      throw new Error(`a resource must be present, got: ${GroupVersionResource.of(group, version, resource)}`);
    }
    return this.#tables.filter(
      ({ version: of }) =>
        (version === '' || of.version === version) &&
        (version !== '' && group !== '' ? of.group === group : of.group.startsWith(group)),
    );
  }

  /** Returns the only match of the most preferred version that has any; undefined when that version has several. */
  #preferred<T extends GroupVersionResource | GroupVersionKind>(matches: readonly T[]): T | undefined {
    if (matches.length === 1) return matches[0];
    const wanted = new Set(matches.map((match) => match.groupVersion));
    const tables = this.#tables.filter((table) => wanted.has(table.version));
    const best = tables.reduce((a, b) => (b.rank < a.rank ? b : a)).version;
    const inBest = matches.filter((match) => match.groupVersion === best);
    return inBest.length === 1 ? inBest[0] : undefined;
  }
}

function buildTables({ groups, resourceLists }: Discovery): VersionTable[] {
  const lists = new Map(resourceLists.map((list) => [list.groupVersion, list.resources]));
  const tables: VersionTable[] = [];
  for (const [position, { name, versions, preferredVersion }] of groups.entries()) {
    for (const [index, { version, groupVersion }] of versions.entries()) {
      const resources = lists.get(groupVersion);
      if (!resources) continue;
      const isCore = name === '' && version === 'v1';
      const within = version === preferredVersion?.version ? 0 : (index + 1) / (versions.length + 1);
      tables.push(new VersionTable(GroupVersion.of(name, version), isCore ? -1 : position + within, resources));
    }
  }
  return tables;
}

/** Returns undefined when `find` finds nothing, or more than one thing. */
function unlessUnclear<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (isNoMatchError(error) || isAmbiguousError(error)) {
      return undefined;
    }
    throw error;
  }
}
