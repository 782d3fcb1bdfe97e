/**
 * What the server has: groups, versions and resources, and the index of all paths. It decides what of the catalogue is
 * served (`servedResources`), keeps it current (`DiscoveryRegistry`) and tells clients of it (`discoveryHandler`).
 */
export { discoveryHandler } from './discovery-handler.ts';
export { DiscoveryRegistry } from './discovery-registry.ts';
export { assertAccepts, checkRoute, genericError, rawJsonResponse } from './generic-errors.ts';
export { pathIndex } from './path-index.ts';
export { servedResources } from './served-resources.ts';
