/**
 * Discovery: the groups, versions and resources of the server, and the index of its paths. `servedResources` selects what
 * is served from the catalogue, `DiscoveryRegistry` keeps it current, `discoveryHandler` serves the documents.
 */
export { discoveryHandler } from './discovery-handler.ts';
export { DiscoveryRegistry } from './discovery-registry.ts';
export { assertAccepts, checkRoute, genericError, rawJsonResponse } from './generic-errors.ts';
export { pathIndex } from './path-index.ts';
export { servedResources } from './served-resources.ts';
