import type { APIResource } from '../meta/discovery.ts';
import type { GroupVersion, GroupVersionKind, GroupVersionResource } from '../meta/group-version.ts';

/** Whether objects live in namespaces or in the cluster as such. */
export type RESTScope = 'namespace' | 'root';

/** Where the objects of a kind are found. */
export interface RESTMapping {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  readonly scope: RESTScope;
}

/** The names within one version of one group. Where discovery names one thing twice, the last counts. */
export class VersionTable {
  readonly version: GroupVersion;
  /** Position in the order of preference: the lowest wins. */
  readonly rank: number;
  /** Plural → singular. */
  readonly #singulars = new Map<string, string>();
  /** Plural or singular → kind. */
  readonly #kinds = new Map<string, GroupVersionKind>();
  /** Kind, as written or in lower case → where it is. */
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
    // Every version has it, and no discovery names it.
    this.#guess('List', 'root');
  }

  /** Plural names of what goes by the name, in alphabetical order. */
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

/** What a kind's resource is probably called. Right for most kinds; discovery knows. */
export function guessResource(kind: string): { plural: string; singular: string } {
  const singular = kind.toLowerCase();
  if (singular === '' || singular.endsWith('endpoints')) return { plural: singular, singular };
  if (singular.endsWith('s')) return { plural: `${singular}es`, singular };
  if (singular.endsWith('y')) return { plural: `${singular.slice(0, -1)}ies`, singular };
  return { plural: `${singular}s`, singular };
}
