import { createHash } from 'node:crypto';
import type { GroupVersionResources } from '@coxswain/api';
import { compareKubeVersions, GroupVersion } from '@coxswain/apimachinery';
import { aggregatedList, type DiscoveredGroup, type DiscoveredVersion } from './documents.ts';
import { type Priority, priorityOf } from './group-priorities.ts';

/** An aggregated discovery document and its ETag. */
export interface AggregatedDocument {
  readonly object: Record<string, unknown>;
  /** Without quotes. A hash of the content, so it is the same after a restart. */
  readonly etag: string;
}

interface Entry {
  readonly resources: DiscoveredVersion;
  readonly priority: Priority;
  /** True when the aggregated server does not respond, so that `resources` may be outdated. */
  readonly stale?: boolean;
}

/**
 * The groups, versions and resources that the server serves. CustomResourceDefinitions and APIServices add and remove group
 * versions at run time. A change is visible as soon as the call returns.
 */
export class DiscoveryRegistry {
  readonly #entries = new Map<GroupVersion, Entry>();
  /** Group versions of aggregated servers (APIServices). They take precedence over `#entries`. */
  readonly #remote = new Map<GroupVersion, Entry>();
  readonly #listeners = new Set<() => void>();
  /** The three fields below are computed on first use and cleared on every change. */
  #groups: ReadonlyMap<string, DiscoveredGroup> | undefined;
  #core: AggregatedDocument | undefined;
  #named: AggregatedDocument | undefined;

  constructor(groupVersions: Iterable<GroupVersionResources> = []) {
    for (const groupVersion of groupVersions) this.addGroupVersion(groupVersion);
  }

  /** Adds or replaces a group version. */
  addGroupVersion(resources: DiscoveredVersion, priority: Priority = priorityOf(resources.group)): void {
    this.#entries.set(GroupVersion.of(resources.group, resources.version), { resources, priority });
    this.#changed();
  }

  /** Returns whether the group version existed. */
  removeGroupVersion(group: string, version: string): boolean {
    const removed = this.#entries.delete(GroupVersion.of(group, version));
    if (removed) this.#changed();
    return removed;
  }

  /** Adds or replaces a group version of an aggregated server. It takes precedence over a local one. */
  setRemote(resources: GroupVersionResources, priority: Priority, stale: boolean): void {
    this.#remote.set(GroupVersion.of(resources.group, resources.version), { resources, priority, stale });
    this.#changed();
  }

  /** Returns the versions of a group that this server serves itself, whether or not an aggregated server serves them too. */
  ownVersions(group: string): DiscoveredVersion[] {
    return [...this.#entries.values()].map(({ resources }) => resources).filter((own) => own.group === group);
  }

  /** Returns the last known resources of an aggregated server's group version. */
  remote(group: string, version: string): GroupVersionResources | undefined {
    return this.#remote.get(GroupVersion.of(group, version))?.resources;
  }

  removeRemote(group: string, version: string): void {
    if (this.#remote.delete(GroupVersion.of(group, version))) this.#changed();
  }

  /** Calls `callback` after every change. Returns a function that removes it. */
  onChange(callback: () => void): () => void {
    this.#listeners.add(callback);
    return () => void this.#listeners.delete(callback);
  }

  groupVersion(group: string, version: string): DiscoveredVersion | undefined {
    return this.#entries.get(GroupVersion.of(group, version))?.resources;
  }

  group(group: string): DiscoveredGroup | undefined {
    return this.#ordered().get(group);
  }

  /** Returns all groups except the core group, in order of preference. */
  namedGroups(): DiscoveredGroup[] {
    return [...this.#ordered().values()].filter(({ group }) => group !== '');
  }

  /** Returns the aggregated document of `/api`. */
  aggregatedCore(): AggregatedDocument {
    const core = this.group('');
    this.#core ??= aggregate(core ? [core] : []);
    return this.#core;
  }

  /** Returns the aggregated document of `/apis`. */
  aggregatedGroups(): AggregatedDocument {
    this.#named ??= aggregate(this.namedGroups());
    return this.#named;
  }

  /** Returns the paths of the discovery documents, for the index at `/`. */
  paths(): string[] {
    const core = this.group('')?.versions.map(({ version }) => `/api/${version}`) ?? [];
    const named = this.namedGroups().flatMap(({ group, versions }) => [
      `/apis/${group}`,
      ...versions.map(({ version }) => `/apis/${group}/${version}`),
    ]);
    return ['/api', ...core, '/apis', '/apis/', ...named];
  }

  #changed(): void {
    this.#groups = undefined;
    this.#core = undefined;
    this.#named = undefined;
    for (const listener of this.#listeners) listener();
  }

  #ordered(): ReadonlyMap<string, DiscoveredGroup> {
    this.#groups ??= orderGroups([...new Map([...this.#entries, ...this.#remote]).values()]);
    return this.#groups;
  }
}

/** Orders groups by the highest group priority among their versions, then by name. */
function orderGroups(entries: readonly Entry[]): ReadonlyMap<string, DiscoveredGroup> {
  const byGroup = new Map<string, { rank: number; entries: Entry[] }>();
  for (const entry of entries) {
    const { group } = entry.resources;
    const known = byGroup.get(group) ?? { rank: 0, entries: [] };
    known.rank = Math.max(known.rank, entry.priority.group);
    known.entries.push(entry);
    byGroup.set(group, known);
  }
  const ordered = [...byGroup].sort(([a, { rank: rankA }], [b, { rank: rankB }]) => rankB - rankA || (a < b ? -1 : 1));
  return new Map(
    ordered.map(([group, { entries: versions }]) => [
      group,
      {
        group,
        versions: versions.sort(byVersion).map(({ resources, stale }) => (stale ? { ...resources, stale } : resources)),
      },
    ]),
  );
}

const byVersion = (a: Entry, b: Entry): number =>
  b.priority.version - a.priority.version || compareKubeVersions(b.resources.version, a.resources.version);

function aggregate(groups: readonly DiscoveredGroup[]): AggregatedDocument {
  const object = aggregatedList(groups);
  // Upstream computes the hash before it sets kind and apiVersion. Without them our ETag equals upstream's.
  const hashed = { ...object, kind: undefined, apiVersion: undefined };
  const etag = createHash('sha512').update(JSON.stringify(hashed)).digest('hex').toUpperCase();
  return { object, etag };
}
