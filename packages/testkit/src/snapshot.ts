import type { StoreSnapshot } from '@coxswain/storage';

/** The whole state of a cluster at one moment. Immutable; any number of clusters may start from it. */
export interface ClusterSnapshot {
  readonly store: StoreSnapshot;
  /** The time of the cluster's clock. */
  readonly nowMs: number;
}
