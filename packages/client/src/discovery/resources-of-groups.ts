import type { APIGroup, APIResourceList } from '@coxswain/apimachinery/meta';
import type { CallOptions } from '../rest/call-options.ts';
import { GroupDiscoveryFailedError } from './discovery-errors.ts';
import type { DiscoveryInterface, ServerResources } from './discovery-interface.ts';

/** Reads the resources of every version of the groups, one request each. Versions that fail are listed in `failure`. */
export async function resourcesOfGroups(
  discovery: Pick<DiscoveryInterface, 'resourcesFor'>,
  groups: readonly APIGroup[],
  options?: CallOptions,
): Promise<ServerResources> {
  const failed = new Map<string, Error>();
  const lists = await Promise.all(
    groups
      .flatMap(({ versions }) => versions)
      .map(({ groupVersion }) =>
        discovery.resourcesFor(groupVersion, options).catch((error: unknown) => {
          options?.signal?.throwIfAborted();
          failed.set(groupVersion, error instanceof Error ? error : new Error(String(error)));
        }),
      ),
  );
  return serverResources(
    groups,
    lists.filter((list) => list !== undefined),
    failed,
  );
}

export const serverResources = (
  groups: readonly APIGroup[],
  resourceLists: readonly APIResourceList[],
  failed: ReadonlyMap<string, Error>,
): ServerResources => ({
  groups,
  resourceLists,
  ...(failed.size > 0 && { failure: new GroupDiscoveryFailedError(failed) }),
});
