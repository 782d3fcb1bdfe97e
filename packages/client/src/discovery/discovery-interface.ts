import type { APIGroup, APIResourceList } from '@coxswain/apimachinery/meta';
import type { CallOptions } from '../rest/call-options.ts';
import type { GroupDiscoveryFailedError } from './discovery-errors.ts';
import type { OpenAPIDocument, OpenAPIV3GroupVersion } from './open-api.ts';
import type { VersionInfo } from './version-info.ts';

/** All that a server offers, or as much of it as could be read. A RESTMapper is made of it. */
export interface ServerResources {
  /** In the server's order of preference, the core group (whose name is empty) first. */
  readonly groups: readonly APIGroup[];
  /** In the order of groups and their versions. A version that could not be read has none. */
  readonly resourceLists: readonly APIResourceList[];
  /** What could not be read, and why. */
  readonly failure?: GroupDiscoveryFailedError;
}

/**
 * Asks a server what it offers. What it answers may be shared with others: do not change it.
 *
 * Calls reject as those of all clients do. That single group versions cannot be read (an aggregated server is down) is
 * no reason to reject: the answer has the rest, and says what is missing.
 */
export interface DiscoveryInterface {
  serverVersion(options?: CallOptions): Promise<VersionInfo>;
  groups(options?: CallOptions): Promise<readonly APIGroup[]>;
  /** The resources of `v1` or `apps/v1`. Rejects with NotFound when the server does not have the group version. */
  resourcesFor(groupVersion: string, options?: CallOptions): Promise<APIResourceList>;
  serverGroupsAndResources(options?: CallOptions): Promise<ServerResources>;
  /** Every resource once, in the version that the server prefers of those that have it. No subresources. */
  preferredResources(options?: CallOptions): Promise<ServerResources>;
  /** Those of them that live in namespaces; lists without any are left out. */
  preferredNamespacedResources(options?: CallOptions): Promise<ServerResources>;
  openAPIV2(options?: CallOptions): Promise<OpenAPIDocument>;
  /** By path: `api/v1`, `apis/apps/v1`. */
  openAPIV3(options?: CallOptions): Promise<ReadonlyMap<string, OpenAPIV3GroupVersion>>;
}

/** Keeps what it was told, until told otherwise. */
export interface CachedDiscoveryInterface extends DiscoveryInterface {
  /** Whether what it would answer now was read from the server since it was made or last invalidated. */
  fresh(): boolean;
  /** Nothing that is known now is used any more. */
  invalidate(): void;
}
