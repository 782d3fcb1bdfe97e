import { rm } from 'node:fs/promises';
import type { NodeRuntime } from '@coxswain/kubelet/program';

export interface OwnRuntimeOptions {
  /** Its own directory, for images and records. */
  readonly directory: string;
  /** For sockets and mounts: a short path, on a file system that is empty after a reboot. */
  readonly state: string;
  /** Distinguishes its network from those of other clusters on this machine. Letters and digits. */
  readonly owner: string;
  /** The addresses of all pods of the cluster. */
  readonly clusterCIDR: string;
}

/** The longest name of a network interface. */
const longestName = 15;

/** The socket of the runtime, for other clients of CRI. */
export const ownRuntimeSocket = (state: string): string => `unix://${state}/cri.sock`;

/** The container runtime of `@coxswain/runtime` in this process. Containers go on running when the process ends. */
export function ownRuntime({ directory, state, owner, clusterCIDR }: OwnRuntimeOptions): NodeRuntime {
  const endpoint = ownRuntimeSocket(state);
  const network = {
    clusterCIDR,
    name: owner,
    bridge: `cox${owner}`.slice(0, longestName),
    // Other programs' networks on this machine have other addresses than the nodes of the cluster.
    configurationDirectory: `${directory}/net.d`,
  };
  const open = async (environment: Partial<Parameters<NodeRuntime['open']>[0]>) => {
    // Imported here, because most clusters run no containers.
    const { openRuntime } = await import('@coxswain/runtime');
    return await openRuntime({ ...environment, root: directory, state, version: '0.0.0', network });
  };
  return {
    endpoint,
    isShared: false,
    async open(environment) {
      const runtime = await open(environment);
      try {
        const server = await runtime.listen(endpoint);
        const inProcess = runtime.inProcess();
        return {
          ...inProcess,
          async close() {
            inProcess.close();
            await server.close();
            await runtime.close();
          },
        };
      } catch (error) {
        await runtime.close();
        throw error;
      }
    },
    async clear() {
      const runtime = await open({});
      try {
        await runtime.network.removeEverything();
      } finally {
        await runtime.close();
      }
      await rm(state, { recursive: true, force: true });
    },
  };
}
