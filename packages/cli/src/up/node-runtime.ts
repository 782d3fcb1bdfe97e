import type { NodeProvider } from '@coxswain/cluster';
import { ClusterDirectory } from './cluster-directory.ts';
import { podRangeOf } from './pod-range.ts';
import type { RuntimeChoice } from './runtime-choice.ts';

/** Beside a real node, nothing is to run on a hollow one by chance. */
const hollowTaint = { key: 'hollow.coxswain.dev/node', effect: 'NoSchedule' } as const;
const hollowOptions = { stopDelayMs: 250 };

interface NodesOptions {
  readonly directory: ClusterDirectory;
  readonly runtime: RuntimeChoice;
  /** The number of hollow nodes. */
  readonly nodes: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns the nodes of a cluster: this machine unless all are hollow, and the hollow ones. */
export async function nodesOf({ directory, runtime, nodes, env }: NodesOptions): Promise<NodeProvider> {
  const { CombinedNodeProvider, HollowNodeProvider, RealNodeProvider } = await import('@coxswain/cluster');
  if (runtime.kind === 'hollow') return new HollowNodeProvider(nodes, hollowOptions);
  if (process.platform !== 'linux') throw new Error('containers need Linux; with --runtime hollow, nodes run none');
  if (process.getuid?.() !== 0) throw new Error('containers need root, for cgroups and mounts: try sudo');
  const podRange = await podRangeOf(directory, await othersOf(directory, env));
  const { choosePodResolver } = await import('@coxswain/runtime');
  const real = new RealNodeProvider({
    runtime: await nodeRuntimeOf(directory, runtime, podRange),
    podRange,
    resolvConf: (await choosePodResolver()).path,
    directory: directory.node,
    owner: directory.owner,
  });
  if (nodes === 0) return real;
  const hollow = Array.from({ length: nodes }, (_, i) => ({ name: `hollow-${i}`, taints: [hollowTaint] }));
  return new CombinedNodeProvider([real, new HollowNodeProvider(hollow, hollowOptions)]);
}

/** Removes all pods of the cluster's real node, and what our own runtime has made on the machine. The cluster must not run. */
export async function removePods(directory: ClusterDirectory, runtime: RuntimeChoice): Promise<void> {
  if (runtime.kind === 'hollow') return;
  const { removeRealNode } = await import('@coxswain/cluster');
  const podRange = await podRangeOf(directory, []);
  const { owner, node } = directory;
  await removeRealNode({ runtime: await nodeRuntimeOf(directory, runtime, podRange), owner, directory: node });
}

async function nodeRuntimeOf(
  { runtime: directory, runtimeState: state, owner }: ClusterDirectory,
  runtime: Exclude<RuntimeChoice, { kind: 'hollow' }>,
  clusterCIDR: string,
) {
  if (runtime.kind === 'socket') return runtime.endpoint;
  const { ownRuntime } = await import('@coxswain/cluster');
  return ownRuntime({ directory, state, owner, clusterCIDR });
}

async function othersOf({ path }: ClusterDirectory, env: NodesOptions['env']): Promise<ClusterDirectory[]> {
  const names = await ClusterDirectory.names(env);
  return names
    .map((name) => new ClusterDirectory(ClusterDirectory.pathOf(name, env)))
    .filter((each) => each.path !== path);
}
