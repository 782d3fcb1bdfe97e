import { GroupVersion, type GroupVersionKind, type GroupVersionResource } from '@coxswain/apimachinery/meta';
import type { DiscoveryInterface } from '../discovery/discovery-interface.ts';
import type { CallOptions } from '../rest/call-options.ts';

/**
 * Finds the kind of a resource's scale subresource by discovery. Rejects with an Error when the resource has none, and
 * with errors of discovery.
 */
export async function scaleKindFor(
  discovery: DiscoveryInterface,
  resource: GroupVersionResource,
  options?: CallOptions,
): Promise<GroupVersionKind> {
  const { resources } = await discovery.resourcesFor(resource.groupVersion.toString(), options);
  const scale = resources.find(({ name }) => name === `${resource.resource}/scale`);
  if (!scale) throw new Error(`could not find scale subresource for ${resource} in discovery information`);
  const { group, version, kind } = scale;
  return (group && version ? GroupVersion.of(group, version) : resource.groupVersion).withKind(kind);
}
