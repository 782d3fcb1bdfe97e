import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { LoadClient } from '../apiserver/load-client.ts';
import { startOurs, type Target } from '../apiserver/target.ts';
import { typicalPod } from '../typical-pod.ts';
import type { Connect, Figures, Task } from './side.ts';

const cox = fileURLToPath(new URL('../../../packages/cli/bin/cox.js', import.meta.url));
const script = (name: string): string => fileURLToPath(new URL(`./${name}.js`, import.meta.url));
const pods = 10_000;
const events = 50_000;
const rounds = 3;

interface Row {
  readonly name: string;
  readonly unit: string;
  readonly value: (figures: Figures) => number;
  /** More is better: the ratio is the other way round to be read as "times as many". */
  readonly reach: string;
}

interface Contest {
  readonly task: Task;
  readonly server: Connect;
  readonly size: number;
  readonly rows: readonly Row[];
  readonly oursOnly?: boolean;
}

const perSecond = ({ operations, wallMs }: Figures): number => (operations / wallMs) * 1000;
const cpuPerOperation = ({ operations, cpuMs }: Figures): number => (cpuMs / operations) * 1000;

/**
 * Our client beside `@kubernetes/client-node`: the same server, a fresh process for every task and side, in turns; the
 * median of a few rounds.
 */
export async function clientBench(): Promise<string> {
  const target = await startOurs(cox);
  const replay = fork(script('replay-server'), [String(pods), String(events)]);
  try {
    const [replayPort] = (await once(replay, 'message')) as [number];
    console.error(`creating ${pods.toLocaleString('en')} pods …`);
    await fill(target);
    const real: Connect = { url: `https://127.0.0.1:${target.port}`, token: target.token };
    const sender: Connect = { url: `http://127.0.0.1:${replayPort}`, token: 'x' };
    const contests: Contest[] = [
      {
        task: 'import',
        server: real,
        size: 1,
        rows: [
          { name: 'import: time', unit: 'ms', value: ({ wallMs }) => wallMs, reach: '≤ 50 ms' },
          { name: 'import: memory', unit: 'MB', value: ({ rssMB }) => rssMB, reach: '≤ 15 MB' },
        ],
      },
      {
        task: 'list',
        server: real,
        size: 5,
        rows: [
          {
            name: 'list 10,000 pods: time',
            unit: 'ms',
            value: ({ wallMs, operations }) => wallMs / operations,
            reach: '',
          },
          {
            name: 'list 10,000 pods: CPU',
            unit: 'ms',
            value: ({ cpuMs, operations }) => cpuMs / operations,
            reach: '',
          },
        ],
      },
      {
        task: 'sync',
        server: real,
        size: 1,
        rows: [
          { name: 'informer of 10,000: sync', unit: 'ms', value: ({ wallMs }) => wallMs, reach: '' },
          {
            name: 'informer: heap per pod',
            unit: 'B',
            value: ({ heapBytes, operations }) => heapBytes / operations,
            reach: '≤ 0.4×',
          },
        ],
      },
      {
        task: 'events',
        server: sender,
        size: events,
        rows: [
          { name: 'informer: events', unit: '/s', value: perSecond, reach: '≥ 3×' },
          { name: 'informer: CPU per event', unit: 'µs', value: cpuPerOperation, reach: '' },
        ],
      },
      {
        task: 'get',
        server: real,
        size: 2000,
        rows: [
          { name: 'get, 32 in flight', unit: '/s', value: perSecond, reach: '≥ 2×' },
          { name: 'get: CPU of the client', unit: 'µs', value: cpuPerOperation, reach: '' },
        ],
      },
      {
        task: 'queue',
        server: real,
        size: 1_000_000,
        rows: [{ name: 'work queue: add, get, done', unit: '/s', value: perSecond, reach: '' }],
        oursOnly: true,
      },
    ];
    const lines = [['', 'ours', 'client-node', 'ratio', 'reach']];
    for (const contest of contests) lines.push(...(await run(contest)));
    return aligned(lines);
  } finally {
    replay.disconnect();
    await target.stop();
  }
}

async function run({ task, server, size, rows, oursOnly }: Contest): Promise<string[][]> {
  console.error(`${task} …`);
  const ours: Figures[] = [];
  const peers: Figures[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await inProcess('ours', task, server, size));
    if (!oursOnly) peers.push(await inProcess('peer', task, server, size));
  }
  return rows.map(({ name, unit, value, reach }) => {
    const mine = median(ours.map(value));
    if (oursOnly) return [name, `${format(mine)} ${unit}`, '', '', reach];
    const theirs = median(peers.map(value));
    return [name, `${format(mine)} ${unit}`, `${format(theirs)} ${unit}`, `${(mine / theirs).toFixed(2)}×`, reach];
  });
}

async function inProcess(side: string, task: Task, { url, token }: Connect, size: number): Promise<Figures> {
  const worker: ChildProcess = fork(script('worker'), [side, task, url, token, String(size)], {
    execArgv: ['--expose-gc'],
    // The peer reads its answer to "trust anybody" from here too, in some of its ways.
    env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' },
  });
  const [figures] = (await Promise.race([
    once(worker, 'message'),
    once(worker, 'exit').then(([status]) => Promise.reject(new Error(`${side} ${task} ended with ${status}`))),
  ])) as [Figures];
  if (worker.exitCode === null) await once(worker, 'exit');
  return figures;
}

async function fill(target: Target): Promise<void> {
  const client = new LoadClient(target, 2);
  let next = 0;
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (next < pods) {
        const name = `bench-${next++}`;
        const { metadata, spec } = typicalPod;
        const { labels, annotations } = metadata;
        const { status, body } = await client.request(
          'POST',
          '/api/v1/namespaces/default/pods',
          JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels, annotations }, spec }),
        );
        if (status !== 201) throw new Error(`creating a pod was answered ${status}: ${body.toString()}`);
      }
    }),
  );
  await client.close();
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const format = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1));

function aligned(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
  return `${text.join('\n')}\n`;
}
