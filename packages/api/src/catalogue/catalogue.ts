import { compareKubeVersions, type GroupVersion, GroupVersionKind, type StructSchema } from '@coxswain/apimachinery';
import { type GroupVersionResources, type Resource, type Stability, stabilityOf } from '../built-in-resource.ts';
import { packages } from '../generated/packages.ts';
import { groupVersionResources } from '../generated/resources.ts';
import { TypeTables } from './hydrate.ts';

/** One kind in one version: its type, the resource that serves it, and the hub version for validation and conversion. */
export interface Kind {
  readonly gvk: GroupVersionKind;
  readonly schema: StructSchema;
  /** The version whose strategy and validation apply to every version of the kind. */
  readonly hub: GroupVersionKind;
  /** The resource of the same group version that serves the kind; absent for kinds such as `Scale` or `Status`. */
  readonly resource?: Resource;
  readonly stability: Stability;
}

/** Kinds that two API groups serve: group and kind → the hub in the other group. */
const hubsElsewhere: ReadonlyMap<string, GroupVersionKind> = new Map([
  ['events.k8s.io Event', GroupVersionKind.of('', 'v1', 'Event')],
  ['events.k8s.io EventList', GroupVersionKind.of('', 'v1', 'EventList')],
]);

/** Kinds of meta.v1 that exist in every group version. */
const metaKinds = new Set([
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
]);
/** Kinds of meta.v1 that exist in the core group's v1. */
const coreMetaKinds = new Set(['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status']);
/** Kinds of meta.v1 that belong to the group `meta.k8s.io`. */
const metaGroupKinds = new Set(['PartialObjectMetadata', 'PartialObjectMetadataList', 'Table', 'TableOptions']);

/**
 * Kinds that upstream still accepts in request bodies although no resource of that version is served: old clients evict
 * with policy/v1beta1.
 */
const formerKinds: ReadonlyMap<GroupVersionKind, string> = new Map([
  [GroupVersionKind.of('policy', 'v1beta1', 'Eviction'), 'policy.v1.Eviction'],
]);

/** Every kind of Kubernetes v1.36, as data. Immutable; types are parsed from their tables on first use. */
export class Catalogue {
  readonly #types = new TypeTables(packages.map(({ name, table }) => [name, table]));
  readonly #kinds = new Map<GroupVersionKind, Kind>();
  readonly #typeNames = new Map<GroupVersionKind, string>();
  readonly #versions = new Map<string, string[]>();

  static readonly #builtIn = { value: undefined as Catalogue | undefined };

  /** Returns the shared, immutable catalogue. */
  static builtIn(): Catalogue {
    Catalogue.#builtIn.value ??= new Catalogue();
    return Catalogue.#builtIn.value;
  }

  private constructor() {
    for (const { name, group, version, kinds } of packages) {
      for (const kind of kinds.split(' '))
        if (kind) this.#typeNames.set(GroupVersionKind.of(group, version, kind), `${name}.${kind}`);
    }
    for (const gvk of this.#typeNames.keys()) {
      const key = `${gvk.group} ${gvk.kind}`;
      this.#versions.set(
        key,
        [...(this.#versions.get(key) ?? []), gvk.version].sort((a, b) => compareKubeVersions(b, a)),
      );
    }
  }

  /** Group versions that have resources, in discovery's order of preference. */
  get groupVersions(): readonly GroupVersionResources[] {
    return groupVersionResources;
  }

  /** Reports whether upstream serves the group version without `--runtime-config`: true for the stable ones. */
  enabledByDefault(groupVersion: GroupVersion): boolean {
    return stabilityOf(groupVersion.version) === 'stable';
  }

  /** Returns every kind, lists included, without the options kinds that all group versions share. */
  kinds(): Kind[] {
    return [...this.#typeNames.keys()].map((gvk) => this.kind(gvk)!);
  }

  kind(gvk: GroupVersionKind): Kind | undefined {
    const known = this.#kinds.get(gvk);
    if (known) return known;
    const typeName = this.#typeNameOf(gvk);
    if (!typeName) return undefined;
    const resource = groupVersionResources
      .find(({ group, version }) => group === gvk.group && version === gvk.version)
      ?.resources.find(({ kind }) => kind === gvk.kind);
    const kind: Kind = {
      gvk,
      schema: this.#types.struct(typeName),
      hub: this.hubOf(gvk),
      ...(resource && { resource }),
      stability: stabilityOf(gvk.version),
    };
    this.#kinds.set(gvk, kind);
    return kind;
  }

  /** Returns the schema of a type by its full name, such as `core.v1.PodSpec`. Throws when there is none. */
  type(fullName: string): StructSchema {
    return this.#types.struct(fullName);
  }

  /**
   * Returns the hub of the kind: its highest version in Kubernetes' order, or the other group's where two groups serve
   * the kind.
   */
  hubOf(gvk: GroupVersionKind): GroupVersionKind {
    const key = `${gvk.group} ${gvk.kind}`;
    const version = this.#versions.get(key)?.[0];
    return hubsElsewhere.get(key) ?? (version ? GroupVersionKind.of(gvk.group, version, gvk.kind) : gvk);
  }

  #typeNameOf(gvk: GroupVersionKind): string | undefined {
    const own = this.#typeNames.get(gvk) ?? formerKinds.get(gvk);
    if (own) return own;
    const knownGroupVersion = packages.some(({ group, version }) => group === gvk.group && version === gvk.version);
    const isMeta =
      (metaKinds.has(gvk.kind) && knownGroupVersion) ||
      (coreMetaKinds.has(gvk.kind) && gvk.group === '' && gvk.version === 'v1') ||
      (metaGroupKinds.has(gvk.kind) && gvk.group === 'meta.k8s.io' && gvk.version === 'v1');
    return isMeta ? `meta.v1.${gvk.kind}` : undefined;
  }
}
