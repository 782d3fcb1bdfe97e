import type { APIGroup, APIResourceList } from '@coxswain/apimachinery/meta';
import type { CallOptions } from '../rest/call-options.ts';
import type { GroupDiscoveryFailedError } from './discovery-errors.ts';
import type { OpenAPIDocument, OpenAPIV3GroupVersion } from './open-api.ts';
import type { VersionInfo } from './version-info.ts';

/**
 * Everything that discovery returned. Group versions that could not be read are missing. A RESTMapper is made from it.
 */
export interface ServerResources {
  /** In the server's order of preference, the core group (whose name is empty) first. */
  readonly groups: readonly APIGroup[];
  /** In the order of groups and their versions. A group version that could not be read has no list. */
  readonly resourceLists: readonly APIResourceList[];
  /** The group versions that could not be read, with their errors. */
  readonly failure?: GroupDiscoveryFailedError;
}

/**
 * Discovery of a server's API. Results may be shared between callers: do not modify them.
 *
 * Calls reject like those of all clients. A group version that cannot be read (an aggregated server is down) does not
 * reject the call: the result has the others, and `failure` lists the missing ones.
 */
export interface DiscoveryInterface {
  serverVersion(options?: CallOptions): Promise<VersionInfo>;
  groups(options?: CallOptions): Promise<readonly APIGroup[]>;
  /** The resources of `v1` or `apps/v1`. Rejects with NotFound when the server does not have the group version. */
  resourcesFor(groupVersion: string, options?: CallOptions): Promise<APIResourceList>;
  serverGroupsAndResources(options?: CallOptions): Promise<ServerResources>;
  /**
   * Every resource once, in the preferred version of its group or, where that lacks it, in the first version that has
   * it. No subresources.
   */
  preferredResources(options?: CallOptions): Promise<ServerResources>;
  /** The namespaced ones of `preferredResources`; empty lists are left out. */
  preferredNamespacedResources(options?: CallOptions): Promise<ServerResources>;
  openAPIV2(options?: CallOptions): Promise<OpenAPIDocument>;
  /** The group versions by path: `api/v1`, `apis/apps/v1`. */
  openAPIV3(options?: CallOptions): Promise<ReadonlyMap<string, OpenAPIV3GroupVersion>>;
}

/** Discovery that caches its results until `invalidate` is called. */
export interface CachedDiscoveryInterface extends DiscoveryInterface {
  /** Whether the cached results were read from the server by this object, since it was created or last invalidated. */
  fresh(): boolean;
  /** Drops all cached results. */
  invalidate(): void;
}
