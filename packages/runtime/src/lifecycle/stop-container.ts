import { onAbort } from '@coxswain/apimachinery/abort';
import { signalNumber } from '../machinery/index.ts';
import { type Container, signalProcess } from '../model/index.ts';
import type { RuntimeContext } from './runtime-context.ts';

const kill = 9;
/** After SIGKILL, a container that still runs is stuck in the kernel. */
const killWaitMs = 120_000;

/**
 * Asks a container to end and kills all its processes after the grace period; at once without one. May be repeated. When the signal is
 * aborted, nobody waits any more.
 */
export async function stopContainer(
  context: RuntimeContext,
  container: Container,
  graceSeconds: number,
  signal: AbortSignal,
): Promise<void> {
  // A start under way is waited for.
  await context.turns.run(container.id, async () => {});
  const { process } = container.state;
  if (container.isRunning && process && graceSeconds > 0) {
    await signalProcess(process, signalNumber(container.description.stopSignal));
    if (await ends(context, container, graceSeconds * 1000, signal)) return;
  }
  if (container.isRunning) {
    await killWhole(context, container);
    if (!(await ends(context, container, killWaitMs, signal))) {
      throw new Error(`an error occurs during waiting for container ${JSON.stringify(container.id)} to be killed`);
    }
  }
}

async function killWhole({ runtime }: RuntimeContext, container: Container): Promise<void> {
  const { process } = container.state;
  if (container.description.hasOwnPids && process) await signalProcess(process, kill);
  else await runtime.killAll(container.id);
}

/** Whether the container ends within the time. Rejects with the signal's reason when it is aborted. */
function ends({ clock }: RuntimeContext, container: Container, waitMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    if (!container.isRunning) return resolve(true);
    if (signal.aborted) return reject(signal.reason);
    const settle = (act: () => void): void => {
      timer.cancel();
      unregister();
      unlink();
      act();
    };
    const timer = clock.setTimeout(() => settle(() => resolve(false)), waitMs);
    const unregister = container.onExit(() => settle(() => resolve(true)));
    const unlink = onAbort(signal, () => settle(() => reject(signal.reason)));
  });
}
