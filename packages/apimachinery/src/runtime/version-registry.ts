import type { GroupVersion } from '../meta/group-version.ts';
import { API_VERSION_INTERNAL } from './object.ts';

/** The versions of all groups, which of them are preferred, and which are disabled. */
export class VersionRegistry {
  /** In the order of their first registration. Never an internal version. */
  readonly #observed = new Set<GroupVersion>();
  /** Group → its versions, most preferred first; those observed but not named here follow. */
  readonly #priority = new Map<string, readonly GroupVersion[]>();
  readonly #disabled = new Set<GroupVersion>();

  copyFrom(other: VersionRegistry): void {
    for (const version of other.#observed) this.#observed.add(version);
    for (const [group, versions] of other.#priority) this.#priority.set(group, versions);
    for (const version of other.#disabled) this.#disabled.add(version);
  }

  observe(version: GroupVersion): void {
    if (isExternal(version)) this.#observed.add(version);
  }

  get observed(): GroupVersion[] {
    return [...this.#observed];
  }

  isVersionRegistered(version: GroupVersion): boolean {
    return this.#observed.has(version);
  }

  isGroupRegistered(group: string): boolean {
    return this.observed.some((version) => version.group === group);
  }

  setEnabled(versions: readonly GroupVersion[], enabled: boolean): void {
    for (const version of versions) {
      if (enabled) this.#disabled.delete(version);
      else this.#disabled.add(version);
    }
  }

  isVersionEnabled(version: GroupVersion): boolean {
    return this.#observed.has(version) && !this.#disabled.has(version);
  }

  isGroupEnabled(group: string): boolean {
    return this.observed.some((version) => version.group === group && this.isVersionEnabled(version));
  }

  /** Replaces the group's order. Throws unless all are external versions of one group. */
  setPriority(versions: readonly GroupVersion[]): void {
    const internal = versions.find((version) => !isExternal(version));
    if (internal) throw new Error(`internal versions cannot be prioritized: ${internal}`);
    const groups = [...new Set(versions.map((version) => version.group))];
    const [group] = groups;
    if (groups.length !== 1 || group === undefined) {
      throw new Error(`must register versions for exactly one group: ${groups.sort().join(', ')}`);
    }
    this.#priority.set(group, [...versions]);
  }

  prioritizedForGroup(group: string): GroupVersion[] {
    const inGroup = this.observed.filter((version) => version.group === group);
    return [...new Set([...(this.#priority.get(group) ?? []), ...inGroup])];
  }

  prioritizedForAllGroups(): GroupVersion[] {
    return this.#groups().flatMap((group) => this.prioritizedForGroup(group));
  }

  preferredForAllGroups(): GroupVersion[] {
    return this.#groups().flatMap((group) => this.prioritizedForGroup(group).slice(0, 1));
  }

  /** Differs from upstream: in the order of registration; upstream's order is random. */
  #groups(): string[] {
    return [...new Set([...this.observed.map((version) => version.group), ...this.#priority.keys()])];
  }
}

const isExternal = ({ version }: GroupVersion): boolean => version !== '' && version !== API_VERSION_INTERNAL;
