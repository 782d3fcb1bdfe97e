import { messageOf } from '@coxswain/apimachinery/errors';
import { type Container, identifyProcess } from '../model/index.ts';
import { containerExited } from './container-exited.ts';
import { publishEvent } from './publish-event.ts';
import { nowOf, type RuntimeContext } from './runtime-context.ts';
import { containerStateOf } from './statuses.ts';

/** The exit code of a container that could not be started, as with containerd. */
const startErrorCode = 128;

/** Starts a container that was created. If it fails, the container has ended with the reason `StartError`. */
export async function startContainer(context: RuntimeContext, container: Container): Promise<void> {
  await context.turns.run(container.id, async () => {
    const { id, state } = container;
    if (state.phase !== 'created')
      throw new Error(`container ${JSON.stringify(id)} is in ${containerStateOf(container)} state`);
    const sandbox = context.sandboxes.get(container.description.sandboxId);
    if (!sandbox.isReady) throw new Error(`sandbox container ${JSON.stringify(sandbox.id)} is not running`);
    const { logPath, config } = container.description;
    const { tty, stdin, stdinOnce } = config;
    let process: Awaited<ReturnType<typeof identifyProcess>>;
    await container.update({ isInRunc: true });
    try {
      const pid = await context.monitor.start({ id, logPath, tty, stdin, stdinOnce });
      process = await identifyProcess(pid);
    } catch (error) {
      await failed(context, container, error);
      throw new Error(`failed to start container ${JSON.stringify(id)}: ${messageOf(error)}`, { cause: error });
    }
    await container.update({ phase: 'running', startedAt: nowOf(context.clock), ...(process && { process }) });
    publishEvent(context, id, 'CONTAINER_STARTED_EVENT', sandbox);
  });
  // It may have ended before it was known to run.
  const exit = await context.exits.read(container.id);
  if (exit) await containerExited(context, exit);
}

async function failed(context: RuntimeContext, container: Container, error: unknown): Promise<void> {
  const { id } = container;
  await context.runtime
    .delete(id)
    .catch((cause: unknown) =>
      context.logger.error('Failed to delete a container that did not start', cause, { container: id }),
    );
  const now = nowOf(context.clock);
  await container.update({
    phase: 'exited',
    isInRunc: false,
    startedAt: 0n,
    finishedAt: now,
    exitCode: startErrorCode,
    reason: 'StartError',
    message: messageOf(error),
  });
}
