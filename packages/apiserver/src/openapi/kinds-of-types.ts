import type { Catalogue } from '@coxswain/api';
import { GroupVersion, type GroupVersionKind } from '@coxswain/apimachinery';
import { unservedGroupVersions } from './type-extensions.ts';

/** Types of meta.v1 that belong to the core group. */
const coreKinds = ['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status'];
/** Types of meta.v1 that are kinds in every group version. */
const everywhere = ['DeleteOptions', 'WatchEvent'];

/** Cached by catalogue, which is immutable. */
const ownKinds = new WeakMap<Catalogue, ReadonlyMap<string, readonly GroupVersionKind[]>>();

function kindsByType(catalogue: Catalogue): ReadonlyMap<string, readonly GroupVersionKind[]> {
  let kinds = ownKinds.get(catalogue);
  if (!kinds) {
    const core = GroupVersion.of('', 'v1');
    kinds = new Map([
      ...catalogue.kinds().map(({ schema, gvk }) => [schema.fullName, [gvk]] as const),
      ...coreKinds.map((kind) => [`meta.v1.${kind}`, [core.withKind(kind)]] as const),
    ]);
    ownKinds.set(catalogue, kinds);
  }
  return kinds;
}

/** Returns all group versions with known types, served or not. */
export const knownGroupVersions = (catalogue: Catalogue): GroupVersion[] => [
  ...catalogue.groupVersions.map(({ group, version }) => GroupVersion.of(group, version)),
  ...[...unservedGroupVersions].map((text) => GroupVersion.parse(text)),
];

/** Returns a function from type names to their kinds in a document about the given group versions, or about all of them. */
export function kindsOfTypes(
  catalogue: Catalogue,
  groupVersions?: readonly GroupVersion[],
): (typeName: string) => readonly GroupVersionKind[] {
  const own = kindsByType(catalogue);
  const known = (groupVersions ?? knownGroupVersions(catalogue)).map(String);
  // Sorted by group, then version. The core group, whose name is empty, comes first.
  const sorted = [...new Set(['v1', ...known])]
    .map((text) => GroupVersion.parse(text))
    .sort((a, b) => (a.group === b.group ? compare(a.version, b.version) : compare(a.group, b.group)));
  const shared = new Map(
    everywhere.map((kind) => [`meta.v1.${kind}`, sorted.map((groupVersion) => groupVersion.withKind(kind))]),
  );
  return (typeName) => shared.get(typeName) ?? own.get(typeName) ?? [];
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
