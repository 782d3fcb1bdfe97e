import type { NodeInfo } from './node-info.ts';

/** All nodes as they are for one scheduling cycle: it does not change while the cycle runs. */
export interface Snapshot {
  /** In an order that takes a node of each zone in turn. */
  readonly nodes: readonly NodeInfo[];
  /** By row: another number after each change of the node there, and of the pods that were promised a place on it. */
  readonly versions: readonly number[];
  /** Those that have pods with any affinity. */
  readonly nodesWithAffinity: readonly NodeInfo[];
  readonly nodesWithRequiredAntiAffinity: readonly NodeInfo[];
  get(nodeName: string): NodeInfo | undefined;
  /** Whether a pod on any node uses the claim (`namespace/name`). */
  isClaimUsed(key: string): boolean;
}
