import { isRunning, type Sandbox } from '../model/index.ts';
import { networkedPod } from './networked-pod.ts';
import { publishEvent } from './publish-event.ts';
import { containersOf, removeContainer } from './remove-container.ts';
import type { RuntimeContext } from './runtime-context.ts';
import { removeSandboxFiles } from './sandbox-files.ts';
import { stopSandboxInit } from './sandbox-init.ts';
import { stopContainer } from './stop-container.ts';

/** Kills the containers of a sandbox, and takes away its network, its namespaces and its shared memory. May be repeated. */
export async function stopSandbox(context: RuntimeContext, sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  await Promise.all(containersOf(context, sandbox.id).map((container) => stopContainer(context, container, 0, signal)));
  await context.turns.run(sandbox.id, async () => {
    const wasReady = sandbox.isReady;
    await takeSandboxAway(context, sandbox);
    if (sandbox.state.phase === 'removing') return;
    if (sandbox.state.phase !== 'stopped') await sandbox.update({ phase: 'stopped' });
    if (wasReady) publishEvent(context, sandbox.id, 'CONTAINER_STOPPED_EVENT', sandbox);
  });
}

/** Removes a sandbox with its containers. */
export async function removeSandbox(context: RuntimeContext, sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  await stopSandbox(context, sandbox, signal);
  for (const container of containersOf(context, sandbox.id)) await removeContainer(context, container, signal);
  await context.turns.run(sandbox.id, async () => {
    if (context.sandboxes.find(sandbox.id) !== sandbox) return;
    await sandbox.update({ phase: 'removing' });
    await sandbox.erase();
    context.sandboxes.delete(sandbox.id);
    context.sandboxNames.release(sandbox.name, sandbox.id);
    publishEvent(context, sandbox.id, 'CONTAINER_DELETED_EVENT', undefined);
  });
}

/** Takes away what a sandbox has on the machine, however much of it there is. */
export async function takeSandboxAway(context: RuntimeContext, sandbox: Sandbox): Promise<void> {
  const { id, namespaces } = sandbox;
  if (namespaces.network === 'POD') {
    const { net = '' } = await context.namespaces.find(id);
    await context.network.tearDown(networkedPod(sandbox, net));
  }
  if (namespaces.pid === 'POD') await stopSandboxInit(context, id);
  await context.namespaces.remove(id);
  if (namespaces.ipc === 'POD') await removeSandboxFiles(id, context.paths, context.commands);
}

/** A sandbox whose shared PID namespace is gone is not ready. */
export async function noticeEndOfInit(context: RuntimeContext, sandbox: Sandbox): Promise<void> {
  const { init } = sandbox.state;
  if (!sandbox.isReady || !init || (await isRunning(init))) return;
  await context.turns.run(sandbox.id, async () => {
    if (!sandbox.isReady) return;
    context.logger.warn('The init process of a sandbox has ended', { sandbox: sandbox.id });
    await sandbox.update({ phase: 'stopped' });
    publishEvent(context, sandbox.id, 'CONTAINER_STOPPED_EVENT', sandbox);
  });
}
