import type { Lease } from '@coxswain/api/coordination/v1';
import type { Node, NodeCondition } from '@coxswain/api/core/v1';
import { nodeCondition } from './node-condition.ts';

/** The state of a node at the previous check. Times are of the controller's clock, because clocks of nodes may be wrong. */
export interface NodeHealth {
  /** When a change of the node's status or lease was last observed. */
  readonly heardAt: number;
  readonly ready: NodeCondition | undefined;
  /** The renewTime of the node's lease. Empty when the lease has none, undefined when there was no lease. */
  readonly renewTime: string | undefined;
}

export interface Observation {
  readonly health: NodeHealth;
  /** The node has not reported for longer than its grace period. */
  readonly isSilent: boolean;
}

export interface GracePeriods {
  /** How long a node may be silent, in milliseconds. */
  readonly nodeMonitorGracePeriodMs: number;
  /** How long a node may be silent before its first report. */
  readonly nodeStartupGracePeriodMs: number;
}

/** Compares the node's status and lease with those of the previous check, and determines whether the node is silent. */
export function observeNode(
  node: Node,
  lease: Lease | undefined,
  known: NodeHealth | undefined,
  now: number,
  grace: GracePeriods,
): Observation {
  const ready = nodeCondition(node, 'Ready');
  const renewTime = lease && (lease.spec?.renewTime ?? '');
  const isRenewed = renewTime !== undefined && (known?.renewTime === undefined || isLater(renewTime, known.renewTime));
  const heardAt = isRenewed ? now : lastStatusAt(node, ready, known, now);
  const graceMs = ready ? grace.nodeMonitorGracePeriodMs : grace.nodeStartupGracePeriodMs;
  return {
    health: { heardAt, ready, renewTime: isRenewed ? renewTime : known?.renewTime },
    isSilent: now > heardAt + graceMs,
  };
}

function lastStatusAt(node: Node, ready: NodeCondition | undefined, known: NodeHealth | undefined, now: number) {
  if (!ready) return known?.heardAt ?? (Date.parse(node.metadata.creationTimestamp ?? '') || 0);
  if (!known?.ready) return now;
  return known.ready.lastHeartbeatTime === ready.lastHeartbeatTime ? known.heardAt : now;
}

const isLater = (time: string, than: string): boolean => Date.parse(time) > (Date.parse(than) || 0);

/** The conditions that only the kubelet sets. NetworkUnavailable is set by network plugins. */
const kubeletConditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** Returns the conditions of a silent node, or undefined when they were set before. */
export function silentConditions(node: Node, now: string): NodeCondition[] | undefined {
  if (nodeCondition(node, 'Ready')?.status === 'Unknown') return undefined;
  const conditions = [...(node.status?.conditions ?? [])];
  for (const type of kubeletConditions) {
    const index = conditions.findIndex((condition) => condition.type === type);
    const known = conditions[index];
    if (!known) {
      conditions.push({
        type,
        status: 'Unknown',
        reason: 'NodeStatusNeverUpdated',
        message: 'Kubelet never posted node status.',
        ...(node.metadata.creationTimestamp && { lastHeartbeatTime: node.metadata.creationTimestamp }),
        lastTransitionTime: now,
      });
    } else if (known.status !== 'Unknown') {
      conditions[index] = {
        ...known,
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
        lastTransitionTime: now,
      };
    }
  }
  return conditions;
}
