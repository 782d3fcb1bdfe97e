import type { ContainerExit } from '../machinery/index.ts';
import { type Container, isRunning } from '../model/index.ts';
import { cgroupsPath } from '../oci/index.ts';
import { publishEvent } from './publish-event.ts';
import { nowOf, type RuntimeContext } from './runtime-context.ts';

/** The exit code of a container whose monitor was killed, so that nobody knows, as with containerd. */
const unknownCode = 255;

/** Writes down how a container has ended, and lets runc forget it. Does nothing if that is known. */
export async function containerExited(context: RuntimeContext, exit: ContainerExit): Promise<void> {
  const container = context.containers.find(exit.id);
  if (!container) return;
  await context.turns.run(container.id, async () => {
    const { id, state } = container;
    if (state.phase !== 'running') return;
    const isOutOfMemory = exit.exitCode !== 0 && (await wasOutOfMemory(context, container));
    const reason = exit.exitCode === 0 ? 'Completed' : isOutOfMemory ? 'OOMKilled' : 'Error';
    const finishedAt = exit.finishedAt > state.startedAt ? exit.finishedAt : state.startedAt;
    await container.update({ phase: 'exited', exitCode: exit.exitCode, finishedAt, reason });
    container.released = release(context, container);
    publishEvent(context, id, 'CONTAINER_STOPPED_EVENT', context.sandboxes.find(container.description.sandboxId));
  });
}

/** A container that has ended without a trace, because its monitor was killed. */
export async function noticeLostContainer(context: RuntimeContext, container: Container): Promise<void> {
  const { process } = container.state;
  if (!container.isRunning || (process && (await isRunning(process)))) return;
  // The monitor may be about to say it.
  if (await context.monitor.isAlive(container.id)) return;
  const exit = await context.exits.read(container.id);
  if (exit) return await containerExited(context, exit);
  await context.turns.run(container.id, async () => {
    if (!container.isRunning) return;
    context.logger.warn('A container has ended, and its monitor did not say how', { container: container.id });
    const finishedAt = nowOf(context.clock);
    await container.update({ phase: 'exited', exitCode: unknownCode, finishedAt, reason: 'Unknown' });
    container.released = release(context, container);
    publishEvent(
      context,
      container.id,
      'CONTAINER_STOPPED_EVENT',
      context.sandboxes.find(container.description.sandboxId),
    );
  });
}

/** Lets runc kill what is left of a container's processes, remove its cgroup and forget it. A failure is repeated when the container is removed. */
export async function release({ runtime, logger }: RuntimeContext, container: Container): Promise<void> {
  try {
    await runtime.delete(container.id);
    await container.update({ isInRunc: false });
  } catch (error) {
    logger.error('Failed to delete a container that has ended', error, { container: container.id });
  }
}

async function wasOutOfMemory(context: RuntimeContext, { id }: Container): Promise<boolean> {
  if (await context.monitor.sawOutOfMemory(id)) return true;
  const sandboxId = context.containers.find(id)?.description.sandboxId ?? '';
  const path = containerCgroup(context, context.sandboxes.find(sandboxId)?.cgroupParent ?? '', id);
  const stats = await context.cgroups.stats(path).catch(() => undefined);
  return (stats?.memory.oomKills ?? 0) > 0;
}

/** The cgroup of a container, relative to the hierarchies. */
export function containerCgroup({ cgroups }: RuntimeContext, parent: string, id: string): string {
  if (cgroups.driver === 'cgroupfs') return cgroupsPath(parent, id, 'cgroupfs');
  return `${slicePath(parent === '' ? 'system.slice' : parent)}/cri-coxswain-${id}.scope`;
}

/** Where systemd has a slice: inside those that its name begins with. A path stays as it is. */
function slicePath(parent: string): string {
  if (parent.startsWith('/')) return parent.replace(/\/$/, '');
  const parts = parent.replace(/\.slice$/, '').split('-');
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('-')}.slice`).join('');
}
