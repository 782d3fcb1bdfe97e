/**
 * `@coxswain/cluster`: a whole cluster in one process, which `cox up` and the testkit stand on.
 *
 * Where to start: `cluster.ts`.
 */
export { type Caller, Cluster, type ClusterOptions, type Component } from './cluster.ts';
export { administrator, type Identity } from './identities.ts';
export type { Access } from './server.ts';
