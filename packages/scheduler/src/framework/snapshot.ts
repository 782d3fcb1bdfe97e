import type { NodeInfo } from './node-info.ts';
import type { RowVersions } from './row-versions.ts';

/** The state of all nodes for one scheduling cycle. It does not change during the cycle. */
export interface Snapshot {
  /** Ordered so that one node of each zone follows in turn. */
  readonly nodes: readonly NodeInfo[];
  /** Versions of the rows: they change with the node and with its nominated pods. Versions of removed rows are kept. */
  readonly versions: Pick<RowVersions, 'last' | 'of' | 'since'>;
  /** The nodes with pods that have any affinity or anti-affinity. */
  readonly nodesWithAffinity: readonly NodeInfo[];
  readonly nodesWithRequiredAntiAffinity: readonly NodeInfo[];
  get(nodeName: string): NodeInfo | undefined;
  /** Whether a pod on any node uses the claim (`namespace/name`). */
  isClaimUsed(key: string): boolean;
}
