/** What a cluster in a test is made of. */
export { Cluster, defaultComponents, HollowNodeProvider } from '@coxswain/cluster';
export { openMemoryStore, snapshotOf } from '@coxswain/storage';

/** There is nothing to keep of modules: see `kept-cluster.ts`. */
export const keepCompiled = (): void => {};
