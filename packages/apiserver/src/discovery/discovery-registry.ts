import { createHash } from 'node:crypto';
import type { GroupVersionResources } from '@coxswain/api';
import { compareKubeVersions, GroupVersion } from '@coxswain/apimachinery';
import { aggregatedList, type DiscoveredGroup, type DiscoveredVersion } from './documents.ts';
import { type Priority, priorityOf } from './group-priorities.ts';

/** The aggregated document, and the ETag that changes when it does. */
export interface AggregatedDocument {
  readonly object: Record<string, unknown>;
  /** Without quotes. The same for the same content, so that it survives a restart. */
  readonly etag: string;
}

interface Entry {
  readonly resources: DiscoveredVersion;
  readonly priority: Priority;
  /** What is known of it may be old: the server that has it does not answer. */
  readonly stale?: boolean;
}

/**
 * Which groups, versions and resources the server has now. Custom resource definitions and API services add and remove
 * group versions while it runs; what is served changes with the call that changes it.
 */
export class DiscoveryRegistry {
  readonly #entries = new Map<GroupVersion, Entry>();
  /** Of servers behind this one: they go before what is here. */
  readonly #remote = new Map<GroupVersion, Entry>();
  readonly #listeners = new Set<() => void>();
  /** All are made when first asked for and dropped with every change. */
  #groups: ReadonlyMap<string, DiscoveredGroup> | undefined;
  #core: AggregatedDocument | undefined;
  #named: AggregatedDocument | undefined;

  constructor(groupVersions: Iterable<GroupVersionResources> = []) {
    for (const groupVersion of groupVersions) this.addGroupVersion(groupVersion);
  }

  /** Adds a group version or replaces it. */
  addGroupVersion(resources: DiscoveredVersion, priority: Priority = priorityOf(resources.group)): void {
    this.#entries.set(GroupVersion.of(resources.group, resources.version), { resources, priority });
    this.#changed();
  }

  /** Says whether it was there. */
  removeGroupVersion(group: string, version: string): boolean {
    const removed = this.#entries.delete(GroupVersion.of(group, version));
    if (removed) this.#changed();
    return removed;
  }

  /** Adds or replaces what a server behind this one has, and goes before what this one has itself. */
  setRemote(resources: GroupVersionResources, priority: Priority, stale: boolean): void {
    this.#remote.set(GroupVersion.of(resources.group, resources.version), { resources, priority, stale });
    this.#changed();
  }

  /** What of a group this server has itself, whatever servers behind it have. */
  ownVersions(group: string): DiscoveredVersion[] {
    return [...this.#entries.values()].map(({ resources }) => resources).filter((own) => own.group === group);
  }

  /** What was last known of a group version of a server behind this one. */
  remote(group: string, version: string): GroupVersionResources | undefined {
    return this.#remote.get(GroupVersion.of(group, version))?.resources;
  }

  removeRemote(group: string, version: string): void {
    if (this.#remote.delete(GroupVersion.of(group, version))) this.#changed();
  }

  /** Calls back after every change. Gives the way to stop. */
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

  /** All but the core group, in order of preference. */
  namedGroups(): DiscoveredGroup[] {
    return [...this.#ordered().values()].filter(({ group }) => group !== '');
  }

  /** What `/api` gives to those who ask for all at once. */
  aggregatedCore(): AggregatedDocument {
    const core = this.group('');
    this.#core ??= aggregate(core ? [core] : []);
    return this.#core;
  }

  /** What `/apis` gives to those who ask for all at once. */
  aggregatedGroups(): AggregatedDocument {
    this.#named ??= aggregate(this.namedGroups());
    return this.#named;
  }

  /** For the index of paths. */
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

/** A group ranks as its highest version does; among equals the name decides. */
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
  // Upstream takes the hash before it adds these two; so the tag is the same for the same resources.
  const hashed = { ...object, kind: undefined, apiVersion: undefined };
  const etag = createHash('sha512').update(JSON.stringify(hashed)).digest('hex').toUpperCase();
  return { object, etag };
}
