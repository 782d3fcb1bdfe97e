import type { APIGroup, APIResource, APIResourceList } from '../meta/discovery.ts';
import { GroupVersion } from '../meta/group-version.ts';
import type { MetaGroupVersionKind } from '../meta/identifiers.ts';

/** A server's discovery: its groups by priority, and the resources of their versions. */
export interface Discovery {
  /** The core group's name is empty. */
  groups: readonly APIGroup[];
  /** The resources by group and version. Versions without a list are unknown, not empty. */
  resourceLists: readonly APIResourceList[];
}

/** The parts of aggregated discovery (`APIGroupDiscoveryList`, v2 and v2beta1) that are used here. */
export interface AggregatedDiscovery {
  items: readonly {
    metadata?: { name?: string };
    versions?: readonly AggregatedVersion[];
  }[];
}

interface AggregatedVersion {
  version: string;
  resources?: readonly AggregatedResource[];
  freshness?: string;
}

interface AggregatedResource extends Answer {
  resource: string;
  scope: string;
  singularResource: string;
  shortNames?: readonly string[];
  categories?: readonly string[];
  subresources?: readonly (Answer & { subresource: string })[];
}

interface Answer {
  responseKind?: Partial<MetaGroupVersionKind>;
  verbs: readonly string[];
}

/**
 * Converts aggregated discovery, which may come in several documents (`/api` and `/apis`). Versions that the server marks as stale are
 * left out; the first of the others is the preferred one. Resources without a kind are left out, too.
 */
export function fromAggregatedDiscovery(...documents: readonly AggregatedDiscovery[]): Discovery {
  const groups: APIGroup[] = [];
  const resourceLists: APIResourceList[] = [];
  for (const { metadata, versions = [] } of documents.flatMap(({ items }) => items)) {
    const name = metadata?.name ?? '';
    const group: APIGroup = { name, versions: [] };
    for (const { version, resources = [], freshness } of versions) {
      if (freshness === 'Stale') continue;
      const groupVersion = GroupVersion.of(name, version).toString();
      group.versions.push({ groupVersion, version });
      resourceLists.push({ groupVersion, resources: resources.flatMap(withSubresources) });
    }
    if (group.versions[0]) group.preferredVersion = group.versions[0];
    groups.push(group);
  }
  return { groups, resourceLists };
}

function withSubresources(resource: AggregatedResource): APIResource[] {
  const parent = {
    name: resource.resource,
    singularName: resource.singularResource,
    namespaced: resource.scope === 'Namespaced',
  };
  const main = answer(parent, resource).map((it) => ({
    ...it,
    ...(resource.shortNames && { shortNames: [...resource.shortNames] }),
    ...(resource.categories && { categories: [...resource.categories] }),
  }));
  const subresources = (resource.subresources ?? []).flatMap((subresource) =>
    answer({ ...parent, name: `${parent.name}/${subresource.subresource}` }, subresource),
  );
  return [...main, ...subresources];
}

function answer(
  named: Pick<APIResource, 'name' | 'singularName' | 'namespaced'>,
  { responseKind, verbs }: Answer,
): APIResource[] {
  const { group, version, kind } = responseKind ?? {};
  if (!kind && !group && !version) return [];
  return [{ ...named, ...(group && { group }), ...(version && { version }), kind: kind ?? '', verbs: [...verbs] }];
}
