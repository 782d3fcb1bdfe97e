import { fileURLToPath } from 'node:url';
import { type ComparedRow, type Comparison, comparing, type Goal } from '../comparison.ts';
import { type LoadResult, putUnderLoad } from './load.ts';
import { startOurs, startPeer, type Target } from './target.ts';

const cox = fileURLToPath(new URL('../../../packages/cli/bin/cox.js', import.meta.url));

/** The goals for the CPU of an operation, relative to the peer's. */
const cpuGoals: Readonly<Record<string, number>> = {
  create: 0.4,
  get: 0.3,
  update: 0.4,
  'list 3,000 configmaps': 0.15,
  apply: 0.4,
  'create pods': 0.4,
  'list 3,000 pods': 0.15,
  'watch event, 100 watchers': 0.4,
};
const memoryGoal: Goal = { of: 'ratio', atMost: 1 / 3 };

/**
 * Our server and, when `KUBE_APISERVER` and `ETCD` are the paths of the binaries, the real pair: one after the other,
 * with the same load. CPU per operation is the meaningful value; wall time depends more on the machine.
 */
export async function apiserverBench(): Promise<Comparison> {
  const { KUBE_APISERVER: kubeApiserver, ETCD: etcd } = process.env;
  const ours = await measure(() => startOurs(cox));
  const peer = kubeApiserver && etcd ? await measure(() => startPeer(kubeApiserver, etcd)) : undefined;
  return { peerName: 'the real pair', rows: rowsOf(ours, peer) };
}

async function measure(start: () => Promise<Target>): Promise<LoadResult> {
  const target = await start();
  console.error(`${target.name} is ready; running the load …`);
  try {
    return await putUnderLoad(target);
  } finally {
    await target.stop();
  }
}

function rowsOf(ours: LoadResult, peer: LoadResult | undefined): ComparedRow[] {
  const row = comparing(ours, peer);
  const operations = ours.measured.map(({ name }, index) => ({
    name,
    of: (result: LoadResult) => result.measured[index]!,
  }));
  return [
    ...operations.map(({ name, of }) => {
      const atMost = cpuGoals[name];
      const goal: Goal | undefined = atMost === undefined ? undefined : { of: 'ratio', atMost };
      return row(`${name}: CPU per operation`, 'ms', (result) => of(result).cpuMsPerOperation, goal);
    }),
    row('start until ready', 'ms', ({ startMs }) => startMs, { of: 'ours', atMost: 500 }),
    row('memory, idle', 'MiB', ({ idleRssMiB }) => idleRssMiB, memoryGoal),
    row('memory, after the load', 'MiB', ({ finalRssMiB }) => finalRssMiB, memoryGoal),
    ...operations.map(({ name, of }) => row(`${name}: per second`, '/s', (result) => of(result).perSecond)),
  ];
}
