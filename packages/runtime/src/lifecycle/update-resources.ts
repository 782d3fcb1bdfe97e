import type { LinuxContainerResources } from '@coxswain/cri';
import { LinuxContainerResources as resourcesMessage } from '@coxswain/cri';
import type { Container } from '../model/index.ts';
import { linuxResources, updatedResources } from '../oci/index.ts';
import { rewriteResources } from './rewrite-resources.ts';
import type { RuntimeContext } from './runtime-context.ts';
import { containerStateOf } from './statuses.ts';

/** Changes the limits of a container that was created or runs. What the update leaves at zero stays. */
export async function updateResources(
  context: RuntimeContext,
  container: Container,
  update: LinuxContainerResources,
): Promise<void> {
  await context.turns.run(container.id, async () => {
    const { phase } = container.state;
    if (phase !== 'created' && phase !== 'running')
      throw new Error(`container ${JSON.stringify(container.id)} is in ${containerStateOf(container)} state`);
    const bundle = context.monitor.bundleOf(container.id);
    const next = updatedResources(container.resources ?? resourcesMessage.complete({}), update);
    const resources = linuxResources(next, context.node.cgroups);
    if (phase === 'running') await context.runtime.update(container.id, resources, bundle);
    else await rewriteResources(bundle, resources);
    await container.updateResources(next);
  });
}
