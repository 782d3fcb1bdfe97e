import type { NodeInfo } from './node-info.ts';
import type { RowVersions } from './row-versions.ts';

/** All nodes as they are for one scheduling cycle: it does not change while the cycle runs. */
export interface Snapshot {
  /** In an order that takes a node of each zone in turn. */
  readonly nodes: readonly NodeInfo[];
  /** Of the nodes and the pods that were promised a place there: which changed when. Those of rows that are gone stay. */
  readonly versions: Pick<RowVersions, 'last' | 'of' | 'since'>;
  /** Those that have pods with any affinity. */
  readonly nodesWithAffinity: readonly NodeInfo[];
  readonly nodesWithRequiredAntiAffinity: readonly NodeInfo[];
  get(nodeName: string): NodeInfo | undefined;
  /** Whether a pod on any node uses the claim (`namespace/name`). */
  isClaimUsed(key: string): boolean;
}
