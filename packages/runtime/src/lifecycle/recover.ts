import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RuntimeContainer } from '../machinery/index.ts';
import { Container, identifyProcess, Sandbox } from '../model/index.ts';
import { containerExited, noticeLostContainer, release } from './container-exited.ts';
import { killLeftCommands } from './exec-cgroup.ts';
import { ownerOf } from './image-volumes.ts';
import { takeContainerAway } from './remove-container.ts';
import { nowOf, type RuntimeContext } from './runtime-context.ts';
import { removeSandboxFiles } from './sandbox-files.ts';
import { removeSandbox, takeSandboxAway } from './stop-sandbox.ts';

/**
 * Finds all that an earlier process has made, in the state in which a crash or a reboot has left it: what is whole is taken over, what is
 * half made or half removed is removed, and what belongs to nobody, too. A failure is logged, and does not keep the rest from being found.
 */
export async function recover(context: RuntimeContext): Promise<void> {
  const { runtime, paths, launcher } = context;
  const inRuntime = new Map((await runtime.list(paths.state)).map((each) => [each.id, each]));
  for (const directory of await launcher.left()) await launcher.discard(directory);
  await loadSandboxes(context);
  await loadContainers(context);
  await each(context, [...context.containers.values()], (container) =>
    recoverContainer(context, container, inRuntime.get(container.id)),
  );
  await each(context, [...context.sandboxes.values()], (sandbox) => recoverSandbox(context, sandbox));
  await removeOrphans(context, [...inRuntime.keys()]);
}

async function loadSandboxes(context: RuntimeContext): Promise<void> {
  const { sandboxRecords: records, sandboxes, sandboxNames } = context;
  for (const [id, record] of await records.load()) {
    const sandbox = Sandbox.fromRecord(records, record);
    if (!sandbox) {
      await records.remove(id);
      continue;
    }
    sandboxes.add(id, sandbox);
    sandboxNames.reserve(sandbox.name, id);
  }
}

async function loadContainers(context: RuntimeContext): Promise<void> {
  const { containerRecords: records, containers, containerNames } = context;
  for (const [id, record] of await records.load()) {
    const container = Container.fromRecord(records, record);
    if (!container) {
      await records.remove(id);
      continue;
    }
    containers.add(id, container);
    containerNames.reserve(container.description.name, id);
  }
}

async function recoverContainer(
  context: RuntimeContext,
  container: Container,
  known: RuntimeContainer | undefined,
): Promise<void> {
  const { id, state, description } = container;
  const sandbox = context.sandboxes.find(description.sandboxId);
  if (state.phase === 'making' || state.phase === 'removing' || !sandbox) {
    if (known) await context.runtime.delete(id);
    return await takeContainerAway(context, container);
  }
  if (state.phase === 'created' && known) await recoverStart(context, container, known);
  if (container.isRunning) {
    const exit = await context.exits.read(id);
    if (exit) return await containerExited(context, exit);
    await killLeftCommands(context, { id, cgroupParent: sandbox.cgroupParent });
    return await noticeLostContainer(context, container);
  }
  if (container.state.phase === 'exited' && (state.isInRunc || known)) container.released = release(context, container);
}

/** The process was killed while it started a container: it runs, or it is one that could not be started. */
async function recoverStart(context: RuntimeContext, container: Container, known: RuntimeContainer): Promise<void> {
  const exit = await context.exits.read(container.id);
  if (exit || known.status === 'running') {
    const pid = Number(await readFile(join(context.monitor.bundleOf(container.id), 'pid'), 'utf8').catch(() => '0'));
    const process = await identifyProcess(pid);
    const startedAt = exit?.finishedAt ?? nowOf(context.clock);
    return await container.update({ phase: 'running', isInRunc: true, startedAt, ...(process && { process }) });
  }
  await context.runtime.delete(container.id);
  const message = 'the runtime ended while it started the container';
  const finishedAt = nowOf(context.clock);
  await container.update({
    phase: 'exited',
    isInRunc: false,
    exitCode: 128,
    reason: 'StartError',
    message,
    finishedAt,
  });
}

async function recoverSandbox(context: RuntimeContext, sandbox: Sandbox): Promise<void> {
  const { phase, init } = sandbox.state;
  if (phase === 'making') {
    await takeSandboxAway(context, sandbox);
    await sandbox.update({ phase: 'removing' });
  }
  if (sandbox.state.phase === 'removing') return await removeSandbox(context, sandbox, new AbortController().signal);
  if (phase === 'stopped') return;
  const { net, ipc } = await context.namespaces.find(sandbox.id);
  const hasAll = (sandbox.namespaces.network === 'NODE' || net) && (sandbox.namespaces.ipc === 'NODE' || ipc);
  const hasInit = !init || (await identifyProcess(init.pid))?.start === init.start;
  // A reboot has taken its namespaces. It is stopped and removed by whoever wanted it.
  if (!hasAll || !hasInit) await sandbox.update({ phase: 'stopped' });
}

async function removeOrphans(context: RuntimeContext, inRuntime: readonly string[]): Promise<void> {
  const { sandboxes, containers, runtime, monitor, namespaces, network, rootFileSystems, exits, paths, commands } =
    context;
  const isContainer = (id: string): boolean => containers.find(id) !== undefined;
  const isSandbox = (id: string): boolean => sandboxes.find(id) !== undefined;
  const neither = (id: string): boolean => !isContainer(id) && !isSandbox(id);
  const inDirectory = async (name: string): Promise<string[]> => {
    await mkdir(join(paths.state, name), { recursive: true, mode: 0o711 });
    return await readdir(join(paths.state, name));
  };
  await each(context, inRuntime.filter(neither), (id) => runtime.delete(id));
  await each(context, (await inDirectory('bundles')).filter(neither), (id) => monitor.removeBundle(id));
  await each(context, (await exits.list()).filter(neither), (id) => rm(exits.pathOf(id), { force: true }));
  await each(
    context,
    (await rootFileSystems.list()).filter((id) => !isContainer(ownerOf(id))),
    (id) => rootFileSystems.remove(id),
  );
  await each(context, [new Set([...sandboxes.values()].filter(({ isReady }) => isReady).map(({ id }) => id))], (ids) =>
    network.collectGarbage(ids),
  );
  await each(
    context,
    (await namespaces.list()).filter((id) => !isSandbox(id)),
    (id) => namespaces.remove(id),
  );
  await each(
    context,
    (await inDirectory('shm')).filter((id) => !isSandbox(id)),
    (id) => removeSandboxFiles(id, paths, commands),
  );
}

async function each<T>(
  { logger }: RuntimeContext,
  items: readonly T[],
  act: (item: T) => Promise<void>,
): Promise<void> {
  for (const item of items) {
    try {
      await act(item);
    } catch (error) {
      logger.error('Failed to recover', error, {
        item: item instanceof Container || item instanceof Sandbox ? item.id : String(item),
      });
    }
  }
}
