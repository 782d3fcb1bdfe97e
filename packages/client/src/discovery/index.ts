// What a server offers: groups, versions, resources, OpenAPI (`DiscoveryClient`, `CachedDiscovery`), and from kinds to
// resources and back (`DeferredRESTMapper`). A cache on disk is in `discovery/node`.
export { CachedDiscovery } from './cached-discovery.ts';
export { DeferredRESTMapper } from './deferred-rest-mapper.ts';
export { DiscoveryClient, type DiscoveryClientOptions } from './discovery-client.ts';
export { GroupDiscoveryFailedError, StaleGroupVersionError } from './discovery-errors.ts';
export type { CachedDiscoveryInterface, DiscoveryInterface, ServerResources } from './discovery-interface.ts';
export type { OpenAPIDocument, OpenAPIV3GroupVersion } from './open-api.ts';
export { filteredBy, supportsAllVerbs } from './preferred-resources.ts';
export { isResourceEnabled, serverSupportsVersion } from './server-supports.ts';
export type { VersionInfo } from './version-info.ts';
