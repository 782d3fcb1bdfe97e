import type { Pod } from '@coxswain/api/core/v1';

/** Returns the event message for a pod whose volume is attached to other nodes. `users` are the pods that use it there. */
export function multiAttachMessage(volumeName: string, { metadata }: Pod, users: readonly Pod[]): string {
  const prefix = `Waiting for detach for volume ${JSON.stringify(volumeName)}`;
  if (users.length === 0)
    return `${prefix} Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node`;
  // Names of pods in other namespaces are not disclosed.
  const local = users.filter((user) => user.metadata.namespace === metadata.namespace);
  const others = `${users.length - local.length} pod(s) in different namespaces`;
  if (local.length === 0) return `${prefix} Volume is already used by ${others}`;
  const names = local.map((user) => user.metadata.name).join(', ');
  return `${prefix} Volume is already used by pod(s) ${names}${local.length < users.length ? ` and ${others}` : ''}`;
}
