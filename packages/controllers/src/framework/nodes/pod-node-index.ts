import type { Pod } from '@coxswain/api/core/v1';
import type { Indexer, SharedIndexInformer } from '@coxswain/client';

const nodeIndex = 'nodeName';

/** Adds the index that `podsOnNode` uses. Does nothing when it exists. */
export function addNodeIndex(pods: SharedIndexInformer<Pod>): void {
  if (pods.indexer.hasIndex(nodeIndex)) return;
  pods.addIndexers({ [nodeIndex]: ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []) });
}

/** Returns the pods that are bound to the node. */
export const podsOnNode = (pods: Indexer<Pod>, nodeName: string): Pod[] => pods.byIndex(nodeIndex, nodeName);
