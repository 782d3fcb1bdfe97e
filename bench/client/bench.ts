import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { LoadClient } from '../apiserver/load-client.ts';
import { startOurs, type Target } from '../apiserver/target.ts';
import { type ComparedRow, type Comparison, comparing, type Goal } from '../comparison.ts';
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
  readonly goal?: Goal;
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
 * Our client beside `@kubernetes/client-node`: the same server, a new process for every task and side, alternating; the
 * median of a few rounds.
 */
export async function clientBench(): Promise<Comparison> {
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
          { name: 'import: time', unit: 'ms', value: ({ wallMs }) => wallMs, goal: { of: 'ours', atMost: 50 } },
          { name: 'import: memory', unit: 'MB', value: ({ rssMB }) => rssMB, goal: { of: 'ours', atMost: 15 } },
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
          },
          {
            name: 'list 10,000 pods: CPU',
            unit: 'ms',
            value: ({ cpuMs, operations }) => cpuMs / operations,
          },
        ],
      },
      {
        task: 'sync',
        server: real,
        size: 1,
        rows: [
          { name: 'informer of 10,000: sync', unit: 'ms', value: ({ wallMs }) => wallMs },
          {
            name: 'informer: heap per pod',
            unit: 'B',
            value: ({ heapBytes, operations }) => heapBytes / operations,
            goal: { of: 'ratio', atMost: 0.4 },
          },
        ],
      },
      {
        task: 'events',
        server: sender,
        size: events,
        rows: [
          { name: 'informer: events', unit: '/s', value: perSecond, goal: { of: 'ratio', atLeast: 3 } },
          { name: 'informer: CPU per event', unit: 'µs', value: cpuPerOperation },
        ],
      },
      {
        task: 'get',
        server: real,
        size: 2000,
        rows: [
          { name: 'get, 32 in flight', unit: '/s', value: perSecond, goal: { of: 'ratio', atLeast: 2 } },
          { name: 'get: CPU of the client', unit: 'µs', value: cpuPerOperation },
        ],
      },
      {
        task: 'queue',
        server: real,
        size: 1_000_000,
        rows: [{ name: 'work queue: add, get, done', unit: '/s', value: perSecond }],
        oursOnly: true,
      },
    ];
    const compared: ComparedRow[] = [];
    for (const contest of contests) compared.push(...(await run(contest)));
    return { peerName: 'client-node', rows: compared };
  } finally {
    replay.disconnect();
    await target.stop();
  }
}

async function run({ task, server, size, rows, oursOnly }: Contest): Promise<ComparedRow[]> {
  console.error(`${task} …`);
  const ours: Figures[] = [];
  const peers: Figures[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await inProcess('ours', task, server, size));
    if (!oursOnly) peers.push(await inProcess('peer', task, server, size));
  }
  const row = comparing(ours, oursOnly ? undefined : peers);
  return rows.map(({ name, unit, value, goal }) => row(name, unit, (figures) => median(figures.map(value)), goal));
}

async function inProcess(side: string, task: Task, { url, token }: Connect, size: number): Promise<Figures> {
  const worker: ChildProcess = fork(script('worker'), [side, task, url, token, String(size)], {
    execArgv: ['--expose-gc'],
    // The peer reads this too, to skip the verification of certificates in some of its code paths.
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
