import { isNotFound } from '@coxswain/apimachinery/errors';
import { GroupVersion, type MetaGroupVersion, type MetaGroupVersionResource } from '@coxswain/apimachinery/meta';
import type { CallOptions } from '../rest/call-options.ts';
import type { DiscoveryInterface } from './discovery-interface.ts';

/** Whether the server has the resource in that version. Sends at most one request. */
export async function isResourceEnabled(
  discovery: DiscoveryInterface,
  { group, version, resource }: MetaGroupVersionResource,
  options?: CallOptions,
): Promise<boolean> {
  try {
    const { resources } = await discovery.resourcesFor(GroupVersion.of(group, version).toString(), options);
    return resources.some(({ name }) => name === resource);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/**
 * Whether the server has the version of the group. Returns true when discovery lists no groups at all, because then
 * discovery may be forbidden.
 */
export async function serverSupportsVersion(
  discovery: DiscoveryInterface,
  { group, version }: MetaGroupVersion,
  options?: CallOptions,
): Promise<boolean> {
  const versions = (await discovery.groups(options)).flatMap((it) => it.versions);
  const wanted = GroupVersion.of(group, version).toString();
  return versions.length === 0 || versions.some(({ groupVersion }) => groupVersion === wanted);
}
