import type { StoreSnapshot } from '@coxswain/storage';

/** All of a cluster's state at one moment. Never changes; any number of clusters may begin with it. */
export interface ClusterSnapshot {
  readonly store: StoreSnapshot;
  /** What its clock showed. */
  readonly nowMs: number;
}
