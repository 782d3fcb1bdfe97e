// Discovery of groups, versions, resources and OpenAPI (`DiscoveryClient`, `CachedDiscovery`), and mapping between
// kinds and resources (`DeferredRESTMapper`). `discovery/node` has a cache on disk.
export { CachedDiscovery } from './cached-discovery.ts';
export { DeferredRESTMapper } from './deferred-rest-mapper.ts';
export { DiscoveryClient, type DiscoveryClientOptions } from './discovery-client.ts';
export { GroupDiscoveryFailedError, StaleGroupVersionError } from './discovery-errors.ts';
export type { CachedDiscoveryInterface, DiscoveryInterface, ServerResources } from './discovery-interface.ts';
export type { OpenAPIDocument, OpenAPIV3GroupVersion } from './open-api.ts';
export { filteredBy, supportsAllVerbs } from './preferred-resources.ts';
export { isResourceEnabled, serverSupportsVersion } from './server-supports.ts';
export type { VersionInfo } from './version-info.ts';
