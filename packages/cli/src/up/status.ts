import { ClientSet, RESTClient } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import type { ClusterDirectory } from './cluster-directory.ts';

/** What `cox status` prints of a cluster, a line each; undefined when none runs. Rejects when it does not answer. */
export async function status(directory: ClusterDirectory): Promise<string[] | undefined> {
  const pid = await directory.holder();
  if (pid === undefined) return undefined;
  const state = await directory.state();
  if (!state) return [`cluster   starting, process ${pid}`];
  const config = await loadRestConfig({ path: directory.adminKubeconfig });
  const rest = RESTClient.forConfig(config);
  try {
    const { core } = new ClientSet(rest);
    const [nodes, pods] = await Promise.all([core.v1.nodes().list(), core.v1.pods().list()]);
    const ready = nodes.items.filter(({ status }) =>
      status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'),
    );
    const phases = new Map<string, number>();
    for (const { status: { phase = 'Unknown' } = {} } of pods.items) phases.set(phase, (phases.get(phase) ?? 0) + 1);
    const counts = [...phases].sort().map(([phase, count]) => `${count} ${phase}`);
    return [
      `cluster   running since ${state.startedAt}, process ${pid}`,
      `address   ${state.url}`,
      `data      ${state.memory ? 'in memory' : directory.path}`,
      `nodes     ${ready.length} of ${nodes.items.length} Ready`,
      `pods      ${counts.join(', ') || 'none'}`,
    ];
  } finally {
    await rest.close();
  }
}
