import type { ContainerEventType } from '@coxswain/cri';
import { ContainerEventResponse } from '@coxswain/cri';
import type { Sandbox } from '../model/index.ts';
import { nowOf, type RuntimeContext } from './runtime-context.ts';
import { containerStatus, sandboxStatus } from './statuses.ts';

/** Tells listeners what has happened to a container or sandbox, with the state of its pod. */
export function publishEvent(
  context: RuntimeContext,
  id: string,
  containerEventType: ContainerEventType,
  sandbox: Sandbox | undefined,
): void {
  const { events, clock, containers } = context;
  if (!events.hasListeners) return;
  const ofPod = sandbox
    ? [...containers.values()].filter(({ description }) => description.sandboxId === sandbox.id)
    : [];
  events.publish(
    ContainerEventResponse.complete({
      containerId: id,
      containerEventType,
      createdAt: nowOf(clock),
      podSandboxStatus: sandbox && sandboxStatus(sandbox),
      containersStatuses: ofPod.map((container) => containerStatus(container)),
    }),
  );
}
