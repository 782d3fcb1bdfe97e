import { fileURLToPath } from 'node:url';
import { type LoadResult, putUnderLoad } from './load.ts';
import { startOurs, startPeer, type Target } from './target.ts';

const cox = fileURLToPath(new URL('../../../packages/cli/bin/cox.js', import.meta.url));

/**
 * Our server and, where `KUBE_APISERVER` and `ETCD` name the binaries, the real pair: one after the other, the same
 * load. Gives what to print.
 */
export async function apiserverBench(): Promise<string> {
  const { KUBE_APISERVER: kubeApiserver, ETCD: etcd } = process.env;
  const ours = await measure(() => startOurs(cox));
  if (!kubeApiserver || !etcd) {
    return `${table([ours])}\nname the binaries in KUBE_APISERVER and ETCD to see the real pair beside it\n`;
  }
  return table([ours, await measure(() => startPeer(kubeApiserver, etcd))]);
}

async function measure(start: () => Promise<Target>): Promise<LoadResult> {
  const target = await start();
  console.error(`${target.name} is up, and now under load …`);
  try {
    return await putUnderLoad(target);
  } finally {
    await target.stop();
  }
}

/** CPU per operation is what counts; wall time says more about the machine. Below 1 we need less. */
function table(results: readonly LoadResult[]): string {
  const [ours, peer] = results as [LoadResult, LoadResult?];
  const row = (name: string, mine: number, theirs: number | undefined, unit: string): string =>
    [
      name.padEnd(28),
      `${format(mine)} ${unit}`.padStart(16),
      ...(theirs === undefined
        ? []
        : [`${format(theirs)} ${unit}`.padStart(16), `${(mine / theirs).toFixed(2)}×`.padStart(8)]),
    ].join('');
  const lines = [
    [
      'CPU per operation'.padEnd(28),
      ours.target.padStart(16),
      ...(peer ? ['the real pair'.padStart(16), 'ratio'.padStart(8)] : []),
    ].join(''),
    ...ours.measured.map(({ name, cpuMsPerOperation }, i) =>
      row(name, cpuMsPerOperation, peer?.measured[i]?.cpuMsPerOperation, 'ms'),
    ),
    row('start until ready', ours.startMs, peer?.startMs, 'ms'),
    row('memory, idle', ours.idleRssMiB, peer?.idleRssMiB, 'MiB'),
    row('memory, after the load', ours.finalRssMiB, peer?.finalRssMiB, 'MiB'),
    '',
    ['wall time, per second'.padEnd(28)].join(''),
    ...ours.measured.map(({ name, perSecond }, i) => row(name, perSecond, peer?.measured[i]?.perSecond, '/s')),
  ];
  return `${lines.join('\n')}\n`;
}

const format = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toFixed(4);
