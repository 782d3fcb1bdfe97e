import type { Container } from '../model/index.ts';
import { unmountImages } from './image-volumes.ts';
import { publishEvent } from './publish-event.ts';
import type { RuntimeContext } from './runtime-context.ts';
import { stopContainer } from './stop-container.ts';

export const containersOf = ({ containers }: RuntimeContext, sandboxId: string): Container[] =>
  [...containers.values()].filter(({ description }) => description.sandboxId === sandboxId);

/** Removes a container; one that runs is killed. Its log stays. */
export async function removeContainer(
  context: RuntimeContext,
  container: Container,
  signal: AbortSignal,
): Promise<void> {
  await stopContainer(context, container, 0, signal);
  await context.turns.run(container.id, async () => {
    if (context.containers.find(container.id) !== container) return;
    await container.released;
    await takeContainerAway(context, container);
    publishEvent(
      context,
      container.id,
      'CONTAINER_DELETED_EVENT',
      context.sandboxes.find(container.description.sandboxId),
    );
  });
}

/** Takes away what a container has on the machine, however much of it there is, and forgets it. */
export async function takeContainerAway(context: RuntimeContext, container: Container): Promise<void> {
  const { id, state, description } = container;
  // Without the mark, as on a full disk, a crash in between would only leave more to find.
  if (state.phase !== 'removing') await container.update({ phase: 'removing' }).catch(() => {});
  if (state.isInRunc) await context.runtime.delete(id);
  await unmountImages(context, id);
  await context.monitor.removeBundle(id);
  await container.erase();
  context.containers.delete(id);
  context.containerNames.release(description.name, id);
}
