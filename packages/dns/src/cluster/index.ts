/** What DNS knows about a cluster: an index of Services, endpoints, pods and namespaces, and the watches that keep it up to date. */
export { ClusterIndex } from './cluster-index.ts';
export type { EndpointInfo, NamedPort, ServiceInfo } from './cluster-objects.ts';
export { ClusterWatch } from './cluster-watch.ts';
export { SharedWatches } from './shared-watches.ts';
