import { createHash } from 'node:crypto';
import type { GroupVersionResources, Resource, Subresource } from '@coxswain/api';
import { GroupVersion, GroupVersionKind } from '@coxswain/apimachinery';

/** A group version with its resources, as discovery lists them. */
export interface DiscoveredVersion extends GroupVersionResources {
  /**
   * True for custom resources. Upstream leaves their resource list unsorted and puts group and version into each
   * `responseKind` of the aggregated document.
   */
  readonly custom?: boolean;
}

/** A group with its versions in order of preference. */
export interface DiscoveredGroup {
  readonly group: string;
  readonly versions: readonly (DiscoveredVersion & {
    /** True when the aggregated server does not respond, so that the resources may be outdated. */
    readonly stale?: boolean;
  })[];
}

/** Returns an entry of `/apis`. With kind and apiVersion added it is also the document at `/apis/GROUP`. */
export function apiGroup({ group, versions }: DiscoveredGroup): Record<string, unknown> {
  const listed = versions.map(({ version }) => ({
    groupVersion: GroupVersion.of(group, version).toString(),
    version,
  }));
  return { name: group, versions: listed, preferredVersion: listed[0] };
}

/** Returns the document at `/api/VERSION` or `/apis/GROUP/VERSION`. */
export function apiResourceList({ group, version, resources, custom }: DiscoveredVersion): Record<string, unknown> {
  const groupVersion = GroupVersion.of(group, version).toString();
  // For old clients, the core group's list has no apiVersion.
  const type = { kind: 'APIResourceList', ...(group !== '' && { apiVersion: 'v1' }) };
  const all = resources.flatMap(withSubresources);
  return { ...type, groupVersion, resources: custom ? all : all.sort(byName) };
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

function withSubresources(resource: Resource): { readonly name: string }[] {
  const { name, singularName, namespaced, kind, verbs, shortNames, categories, subresources = [] } = resource;
  const hash = storageVersionHash(resource);
  return [
    {
      name,
      singularName,
      namespaced,
      kind,
      verbs: verbs.split(' '),
      ...(shortNames && { shortNames }),
      ...(categories && { categories }),
      ...(hash && { storageVersionHash: hash }),
    },
    ...subresources.map((sub) => ({
      name: `${name}/${sub.name}`,
      singularName: '',
      namespaced,
      ...(sub.group && { group: sub.group }),
      ...(sub.version && { version: sub.version }),
      kind: sub.kind,
      verbs: sub.verbs.split(' '),
    })),
  ];
}

/** A hash of the storage version. Clients can detect that it changed, but cannot read which version it is. */
function storageVersionHash({ kind, storageVersion, storageVersionHash: known }: Resource): string | undefined {
  if (known !== undefined || storageVersion === undefined) return known;
  const { group, version } = GroupVersion.parse(storageVersion);
  const digest = createHash('sha256').update(`${group}/${version}/${kind}`).digest();
  return digest.subarray(0, 8).toString('base64');
}

export const aggregatedKind = GroupVersionKind.of('apidiscovery.k8s.io', 'v2', 'APIGroupDiscoveryList');

/** Returns the aggregated form of `/api` or `/apis`: an `APIGroupDiscoveryList`. */
export function aggregatedList(groups: readonly DiscoveredGroup[]): Record<string, unknown> {
  return {
    kind: aggregatedKind.kind,
    apiVersion: aggregatedKind.apiVersion,
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map(({ version, resources, custom, stale }) => ({
        version,
        resources: resources.map((resource) => discoveredResource(resource, custom ? { group, version } : {})),
        freshness: stale ? 'Stale' : 'Current',
      })),
    })),
  };
}

function discoveredResource(
  resource: Resource,
  own: { readonly group?: string; readonly version?: string },
): Record<string, unknown> {
  const { name, singularName, namespaced, kind, verbs, shortNames, categories, subresources } = resource;
  return {
    resource: name,
    responseKind: responseKind({ ...own, kind }),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singularName,
    verbs: verbs.split(' '),
    ...(shortNames && { shortNames }),
    ...(categories && { categories }),
    ...(subresources && {
      subresources: subresources.map((sub) => ({
        subresource: sub.name,
        responseKind: responseKind({ ...own, ...sub }),
        verbs: sub.verbs.split(' '),
      })),
    }),
  };
}

/** Group and version are empty when they equal those of the enclosing list, except for custom resources. */
const responseKind = ({ group = '', version = '', kind }: Pick<Subresource, 'group' | 'version' | 'kind'>) => ({
  group,
  version,
  kind,
});
