import type { Node } from '@coxswain/api/core/v1';
import type { EventRecorder } from '@coxswain/client';

/** Records an event for a change of the node's status. The status is also the event's reason. */
export function recordNodeStatusChange(recorder: EventRecorder, node: Node, status: string): void {
  const { name, uid } = node.metadata;
  recorder.event(nodeReference(name, uid), 'Normal', status, `Node ${name} status is now: ${status}`);
}

/** Records an event for an action taken on the node. */
export function recordNodeEvent(recorder: EventRecorder, node: Node, reason: string, event: string): void {
  const { name, uid } = node.metadata;
  recorder.event(nodeReference(name, uid), 'Normal', reason, `Node ${name} event: ${event}`);
}

const nodeReference = (name = '', uid = '') => ({ apiVersion: 'v1', kind: 'Node', name, uid });
