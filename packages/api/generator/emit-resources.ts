import { createHash } from 'node:crypto';
import type { DiscoveredResource, Sources } from './sources.ts';

export interface ResourceEntry {
  readonly name: string;
  readonly singularName: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersion?: string;
  readonly storageVersionHash?: string;
  readonly subresources?: readonly SubresourceEntry[];
}

interface SubresourceEntry {
  readonly name: string;
  readonly kind: string;
  /** Set only where the kind belongs to another group version than the resource, such as `Scale` of autoscaling/v1. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: string;
}

/** Returns the resources of every group version in discovery's order of preference, with subresources inside their parents. */
export function gatherResources(sources: Sources): { group: string; version: string; resources: ResourceEntry[] }[] {
  return [...sources.discovery].map(([groupVersion, resources]) => {
    const [group, version] = groupVersion.includes('/')
      ? (groupVersion.split('/') as [string, string])
      : ['', groupVersion];
    const subresourcesOf = (parent: string): SubresourceEntry[] =>
      resources
        .filter(({ name }) => name.startsWith(`${parent}/`))
        .map((sub) => ({
          name: sub.name.slice(parent.length + 1),
          kind: sub.kind,
          ...(sub.group !== undefined &&
            (sub.group !== group || sub.version !== version) && { group: sub.group, version: sub.version! }),
          verbs: sub.verbs.join(' '),
        }));
    const entries = resources
      .filter(({ name }) => !name.includes('/'))
      .map((resource): ResourceEntry => {
        const subresources = subresourcesOf(resource.name);
        const storageVersion = storageVersionOf(sources, resource);
        return {
          name: resource.name,
          singularName: resource.singularName,
          kind: resource.kind,
          namespaced: resource.namespaced,
          verbs: resource.verbs.join(' '),
          ...(resource.shortNames && { shortNames: resource.shortNames }),
          ...(resource.categories && { categories: resource.categories }),
          ...(storageVersion && { storageVersion }),
          // Upstream stores CustomResourceDefinitions in a version that it no longer serves.
          ...(!storageVersion && resource.storageVersionHash && { storageVersionHash: resource.storageVersionHash }),
          ...(subresources.length > 0 && { subresources }),
        };
      });
    return { group, version, resources: entries };
  });
}

/**
 * Returns the group version that a resource is stored as. Discovery publishes a hash of that group version and the
 * kind; this finds the group version with that hash.
 */
function storageVersionOf(sources: Sources, resource: DiscoveredResource): string | undefined {
  if (!resource.storageVersionHash) return undefined;
  const candidates = Object.keys(sources.goKinds)
    .filter((entry) => entry.endsWith(` ${resource.kind}`))
    .map((entry) => entry.split(' ')[0]!);
  const found = candidates.find(
    (groupVersion) => storageVersionHash(groupVersion, resource.kind) === resource.storageVersionHash,
  );
  return found?.replace(/^\//, '');
}

const storageVersionHash = (groupVersion: string, kind: string): string =>
  createHash('sha256').update(`${groupVersion}/${kind}`).digest().subarray(0, 8).toString('base64');
