import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { aligned } from '../comparison.ts';
import type { ContenderName } from './contenders.ts';
import type { Figures, Task } from './worker.ts';

const script = (name: string): string => fileURLToPath(new URL(`./${name}.js`, import.meta.url));
const names: readonly ContenderName[] = ['ours', 'node:http2', 'undici'];
const tasks: Readonly<Record<Task, string>> = { get: 'get of 6 kB', write: 'write of 200 bytes' };
const requests = 20_000;
const rounds = 5;

/**
 * Our HTTP/2 client beside Node's own and undici, with 32 requests in flight over one TLS connection to the same server: a new process for
 * every round, alternating; the median of all rounds.
 */
export async function http2Bench(): Promise<string> {
  const server = fork(script('server'));
  try {
    const [port] = (await once(server, 'message')) as [number];
    const rows: string[][] = [];
    for (const task of Object.keys(tasks) as Task[]) rows.push(...(await compare(task, `https://127.0.0.1:${port}`)));
    return aligned([['32 in flight', ...names, 'ours : cheaper of both'], ...rows]);
  } finally {
    server.disconnect();
  }
}

async function compare(task: Task, url: string): Promise<string[][]> {
  const all = new Map<ContenderName, Figures[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) all.get(name)!.push(await inProcess(name, task, url));
  }
  const row = (what: string, read: (figures: Figures) => number, unit: string, digits: number): string[] => {
    const values = names.map((name) => median(all.get(name)!.map(read)));
    const best = unit === '/s' ? Math.max(...values.slice(1)) : Math.min(...values.slice(1));
    const texts = values.map((value) => `${value.toFixed(digits)} ${unit}`);
    return [`${tasks[task]}: ${what}`, ...texts, `${(values[0]! / best).toFixed(2)}×`];
  };
  return [
    row('CPU of the client', ({ cpuMicros }) => cpuMicros, 'µs', 1),
    row('requests', ({ perSecond }) => perSecond, '/s', 0),
    row('latency, median', ({ medianMs }) => medianMs, 'ms', 2),
    row('latency, 99 %', ({ slowestPercentMs }) => slowestPercentMs, 'ms', 2),
  ];
}

async function inProcess(name: ContenderName, task: Task, url: string): Promise<Figures> {
  const worker = fork(script('worker'), [name, task, url, String(requests)]);
  const [figures] = (await Promise.race([
    once(worker, 'message'),
    once(worker, 'exit').then(([status]) => Promise.reject(new Error(`${name} ${task} ended with ${status}`))),
  ])) as [Figures];
  if (worker.exitCode === null) await once(worker, 'exit');
  return figures;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
