import type { Node } from '@coxswain/api/core/v1';
import { isOutOfService, isReady } from './csi-volume.ts';

export type DetachDecision =
  /** The node still has it mounted. It is looked at again when the node says otherwise, and in any case after so long. */
  | { readonly is: 'wait'; readonly againInMs?: number }
  /** With `verify`, only if the server says too that the node does not use it. */
  | { readonly is: 'detach'; readonly verify: boolean };

export interface DetachState {
  /** Undefined when it is gone. */
  readonly node: Node | undefined;
  readonly isMounted: boolean;
  /** Since it was first to be detached. */
  readonly waitedMs: number;
  /** How long a node that is not ready may keep it; undefined: for ever. */
  readonly maxWaitMs: number | undefined;
}

/** Whether a volume that no pod uses any more can be taken from its node. */
export function decideDetach({ node, isMounted, waitedMs, maxWaitMs }: DetachState): DetachDecision {
  const isHealthy = node !== undefined && isReady(node);
  const isTaken = node !== undefined && isOutOfService(node);
  const isExpired = maxWaitMs !== undefined && waitedMs > maxWaitMs;
  if (isMounted && !isTaken && !(isExpired && !isHealthy)) {
    const isCounted = maxWaitMs !== undefined && !isExpired && !isHealthy;
    return { is: 'wait', ...(isCounted && { againInMs: maxWaitMs - waitedMs + 1 }) };
  }
  return { is: 'detach', verify: !isExpired && !isTaken };
}
