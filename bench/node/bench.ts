import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { type Containerd, containerdProblem, startContainerd } from '@coxswain/cri/testing';
import { RunningCluster } from '../cluster/running-cluster.ts';
import { type ComparedRow, type Comparison, comparing, type Goal } from '../comparison.ts';
import { interruptible } from './interruptible.ts';
import { NodePods } from './node-pods.ts';
import { measureRound, type Round } from './round.ts';
import { type KubeletSide, RunningKubelet } from './running-kubelet.ts';

const peerName = 'kubelet';
const cox = fileURLToPath(new URL('../../../packages/cli/bin/cox.js', import.meta.url));
/** Of each kubelet, in turns. */
const rounds = 2;
const podCIDR = '10.213.61.0/24';

/**
 * Our kubelet and, when `KUBELET` is the path of the binary, the real one: in turns on the same containerd, that of the PATH unless
 * `CONTAINERD` is the path of another, for the same cluster (`cox up`). Needs root.
 */
export async function nodeBench(): Promise<Comparison> {
  const problem = await containerdProblem();
  if (problem !== undefined) throw new Error(problem);
  const { KUBELET: peer } = process.env;
  const sides: KubeletSide[] = [{ name: 'ours', command: [process.execPath, cox, 'kubelet'] }];
  if (peer) sides.push({ name: 'peer', command: [peer] });
  const measured = new Map<string, Round[]>();
  await interruptible((signal) =>
    withNodes(signal, async (turn) => {
      for (let round = 0; round < rounds; round++) {
        for (const side of sides) {
          const before = measured.get(side.name) ?? [];
          measured.set(side.name, [...before, await turn(side, `round ${round + 1} of ${rounds}`)]);
        }
      }
    }),
  );
  return { peerName, rows: rowsOf(measured.get('ours') ?? [], measured.get('peer')) };
}

type Turn = (side: KubeletSide, which: string) => Promise<Round>;

/** Starts a cluster and a containerd for the work, and ends them after it. */
async function withNodes(signal: AbortSignal, work: (turn: Turn) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-node-'));
  let cluster: RunningCluster | undefined;
  let containerd: Containerd | undefined;
  try {
    cluster = await RunningCluster.start(0, { detached: true });
    signal.throwIfAborted();
    const { CONTAINERD: program } = process.env;
    containerd = await startContainerd({
      ...{ directory: join(directory, 'containerd'), podCIDR },
      ...(program && { program }),
    });
    const surroundings = { cluster, containerd, signal };
    let count = 0;
    await work((side, which) => {
      count++;
      return takeTurn(side, which, { ...surroundings, directory: `${directory}-${count}` });
    });
  } finally {
    await containerd?.close();
    await cluster?.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

interface Surroundings {
  readonly cluster: RunningCluster;
  readonly containerd: Containerd;
  readonly directory: string;
  readonly signal: AbortSignal;
}

async function takeTurn(
  side: KubeletSide,
  which: string,
  { cluster, containerd, directory, signal }: Surroundings,
): Promise<Round> {
  const { clients, kubeconfig } = cluster;
  const authentication = await clients.core.v1.configMaps('kube-system').get('extension-apiserver-authentication');
  const nodeName = side.name;
  const kubelet = await RunningKubelet.start({
    ...side,
    ...{ directory, kubeconfig, runtimeEndpoint: containerd.endpoint },
    admin: await loadRestConfig({ path: kubeconfig }),
    clientCA: authentication.data?.['client-ca-file'] ?? '',
  });
  const pods = new NodePods(clients, nodeName, signal);
  try {
    return await measureRound({
      ...{ clients, nodeName, kubelet, pods, signal },
      say: (what) => console.error(`${side.name}, ${which}: ${what} …`),
    });
  } finally {
    await pods.close();
    await kubelet.stop();
    await clients.core.v1
      .nodes()
      .delete(nodeName)
      .catch(() => {});
    try {
      await containerd.removePods();
    } finally {
      await kubelet.remove();
    }
  }
}

function rowsOf(ours: readonly Round[], peer: readonly Round[] | undefined): ComparedRow[] {
  const row = comparing(ours, peer);
  const most: Goal = { of: 'ratio', atMost: 1 };
  return [
    row('a pod runs, p50', 'ms', quantile(0.5, 'startMs')),
    row('a pod runs, p99', 'ms', quantile(0.99, 'startMs')),
    row('without the calls that make it, p50', 'ms', quantile(0.5, 'besideMakingMs')),
    row('without the calls that make it, p99', 'ms', quantile(0.99, 'besideMakingMs')),
    row('without any calls of the runtime, p50', 'ms', quantile(0.5, 'ownMs'), { of: 'ours', atMost: 50 }),
    row('without any calls of the runtime, p99', 'ms', quantile(0.99, 'ownMs')),
    row('60 pods at once: all run', 'ms', mean('atOnceMs')),
    row('CPU per start of a pod', 'ms', mean('cpuMsPerStart')),
    row('CPU per removal of a pod', 'ms', mean('cpuMsPerRemoval')),
    row('CPU of an idle minute without pods', 'ms', mean('idleCpuMsWithoutPods'), most),
    row('CPU of an idle minute with 100 pods', 'ms', mean('idleCpuMsWithPods'), most),
    row('memory without pods', 'MiB', mean('rssWithoutPods'), most),
    row('memory with 100 pods', 'MiB', mean('rssWithPods'), most),
    row('exec of `true`, p50', 'ms', quantile(0.5, 'execMs')),
    row('log of a container', 'MB/s', mean('logMBPerSecond')),
    row('log of a container: CPU per MB', 'ms', mean('logCpuMsPerMB')),
  ];
}

type KeysOf<Value> = { [Key in keyof Round]: Round[Key] extends Value ? Key : never }[keyof Round];

const mean = (key: KeysOf<number>) => (rounds: readonly Round[]) =>
  rounds.reduce((sum, round) => sum + round[key], 0) / rounds.length;

const quantile = (share: number, key: KeysOf<readonly number[]>) => (rounds: readonly Round[]) => {
  const sorted = rounds.flatMap((round) => round[key]).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
};
