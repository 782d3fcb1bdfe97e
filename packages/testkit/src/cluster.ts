/** The parts of a cluster in a test. */
export { Cluster, defaultComponents, HollowNodeProvider } from '@coxswain/cluster';
export { openMemoryStore, snapshotOf } from '@coxswain/storage';

/** Does nothing for modules; see `kept-cluster.ts`. */
export const keepCompiled = (): void => {};
