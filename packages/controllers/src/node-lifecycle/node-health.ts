import type { Lease } from '@coxswain/api/coordination/v1';
import type { Node, NodeCondition } from '@coxswain/api/core/v1';
import { nodeCondition } from './node-condition.ts';

/** What is remembered of a node from one look to the next. Times are of the own clock: others may be wrong. */
export interface NodeHealth {
  /** When it was last heard of. */
  readonly heardAt: number;
  readonly ready: NodeCondition | undefined;
  /** Of its lease; empty when that says none, undefined when there was no lease. */
  readonly renewTime: string | undefined;
}

export interface Observation {
  readonly health: NodeHealth;
  /** It was not heard of for longer than it may be silent. */
  readonly isSilent: boolean;
}

export interface GracePeriods {
  /** So long a node may be silent, in milliseconds. */
  readonly nodeMonitorGracePeriodMs: number;
  /** Before it has ever said anything. */
  readonly nodeStartupGracePeriodMs: number;
}

/** Whether anything was heard of the node since the last look: by its status or its lease. */
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

/** All that only the kubelet can know. What the network is like, others say. */
const kubeletConditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The conditions of a node that has gone silent; undefined when that has been said already. */
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
