import type { Node } from '@coxswain/api/core/v1';
import { isOutOfService, isReady } from './csi-volume.ts';

export type DetachDecision =
  /** The node still has the volume mounted. It is checked again when the node's status changes, and after `againInMs` if given. */
  | { readonly is: 'wait'; readonly againInMs?: number }
  /** If `verify`, the volume is detached only if the node's current status on the server does not list it as in use. */
  | { readonly is: 'detach'; readonly verify: boolean };

export interface DetachState {
  /** Undefined when the node is deleted. */
  readonly node: Node | undefined;
  readonly isMounted: boolean;
  /** The time since the volume was first due to be detached. */
  readonly waitedMs: number;
  /** How long a node that is not ready may keep the volume. Undefined: without limit. */
  readonly maxWaitMs: number | undefined;
}

/** Decides whether a volume that no pod uses any more can be detached from its node. */
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
