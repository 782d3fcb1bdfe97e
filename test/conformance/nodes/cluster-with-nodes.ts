import { type Cluster, cox } from '../cluster.ts';
import { startControlPlane } from './control-plane.ts';
import { type SetUpOptions, setUp } from './set-up.ts';
import { takeDown } from './take-down.ts';

const nodeCount = 2;

/** Starts our control plane, and two real nodes with DNS. `stop` takes everything away again. */
export async function startClusterWithNodes(
  options: Omit<SetUpOptions, 'kubeconfig' | 'nodes'> & {
    /** For the control plane's files. */
    readonly folder: string;
  },
): Promise<Cluster> {
  const { say, signal } = options;
  say('starting the control plane');
  const plane = await startControlPlane(cox, options);
  try {
    const until = AbortSignal.any([signal, plane.lost]);
    const lost = await setUp({ ...options, kubeconfig: plane.kubeconfig, nodes: nodeCount, signal: until });
    return {
      kubeconfig: plane.kubeconfig,
      lost: AbortSignal.any([lost, plane.lost]),
      async stop() {
        say('taking the nodes down');
        try {
          await takeDown();
        } finally {
          await plane.stop();
        }
      },
    };
  } catch (error) {
    await plane.stop();
    throw error;
  }
}
