import type { APIResource } from '../meta/discovery.ts';
import type { GroupVersion, GroupVersionKind, GroupVersionResource } from '../meta/group-version.ts';

/** Whether objects are namespaced or cluster-scoped. */
export type RESTScope = 'namespace' | 'root';

/** The resource of a kind, and its scope. */
export interface RESTMapping {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  readonly scope: RESTScope;
}

/** The names within one version of one group. When discovery lists a name twice, the last one wins. */
export class VersionTable {
  readonly version: GroupVersion;
  /** Position in the order of preference: the lowest wins. */
  readonly rank: number;
  /** Plural → singular. */
  readonly #singulars = new Map<string, string>();
  /** Plural or singular → kind. */
  readonly #kinds = new Map<string, GroupVersionKind>();
  /** Kind, as written or in lower case → mapping. */
  readonly #mappings = new Map<string, RESTMapping>();

  constructor(version: GroupVersion, rank: number, resources: readonly APIResource[]) {
    this.version = version;
    this.rank = rank;
    for (const { name, singularName, kind, namespaced } of resources) {
      if (name.includes('/')) continue;
      const scope = namespaced ? 'namespace' : 'root';
      const singular = singularName || kind.toLowerCase();
      this.#add(kind.toLowerCase(), name, singular, scope);
      this.#add(kind, name, singular, scope);
      this.#guess(`${kind}List`, scope);
    }
    // Every version has the kind List, which discovery never lists.
    this.#guess('List', 'root');
  }

  /** Returns the plural names of the resources with this plural or singular name, in alphabetical order. */
  resourcesNamed(name: string): GroupVersionResource[] {
    const plurals: string[] = [];
    for (const [plural, singular] of this.#singulars) {
      if (plural === name || singular === name) plurals.push(plural);
    }
    return plurals.sort().map((plural) => this.version.withResource(plural));
  }

  kindNamed(name: string): GroupVersionKind | undefined {
    return this.#kinds.get(name);
  }

  singularOf(plural: string): string | undefined {
    return this.#singulars.get(plural);
  }

  mappingOf(kind: string): RESTMapping | undefined {
    return this.#mappings.get(kind);
  }

  #add(kindName: string, plural: string, singular: string, scope: RESTScope): void {
    const kind = this.version.withKind(kindName);
    this.#singulars.set(plural, singular);
    this.#kinds.set(singular, kind);
    this.#kinds.set(plural, kind);
    this.#mappings.set(kindName, { resource: this.version.withResource(plural), kind, scope });
  }

  #guess(kind: string, scope: RESTScope): void {
    const { plural, singular } = guessResource(kind);
    this.#add(kind, plural, singular, scope);
  }
}

/** Returns the probable resource name of a kind. It is right for most kinds; discovery has the actual one. */
export function guessResource(kind: string): { plural: string; singular: string } {
  const singular = kind.toLowerCase();
  if (singular === '' || singular.endsWith('endpoints')) return { plural: singular, singular };
  if (singular.endsWith('s')) return { plural: `${singular}es`, singular };
  if (singular.endsWith('y')) return { plural: `${singular.slice(0, -1)}ies`, singular };
  return { plural: `${singular}s`, singular };
}
