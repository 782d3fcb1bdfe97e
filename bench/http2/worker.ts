/** Runs one task of one contender in its own process, and sends the result to the parent. */
import { type ContenderName, contenders } from './contenders.ts';

const [name, task, url, size] = process.argv.slice(2) as [ContenderName, Task, string, string];
const { request, close } = contenders[name](url);
const body = Buffer.from(`{"metadata":{"name":"bench"},"status":{"text":"${'x'.repeat(160)}"}}`);
const call = {
  get: () => request('GET', '/api/v1/namespaces/default/pods/web-7d4b9c6f5-x2x8z'),
  write: () => request('PUT', '/api/v1/namespaces/default/pods/web-7d4b9c6f5-x2x8z/status', body),
}[task];

export type Task = 'get' | 'write';

export interface Figures {
  /** The CPU time of this process. */
  readonly cpuMicros: number;
  readonly perSecond: number;
  readonly medianMs: number;
  readonly slowestPercentMs: number;
}

async function run(count: number, inFlight: number): Promise<Figures> {
  const latencies: number[] = [];
  let left = count;
  const started = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left-- > 0) {
        const sent = performance.now();
        if ((await call()) === 0) throw new Error('an answer was empty');
        latencies.push(performance.now() - sent);
      }
    }),
  );
  const { user, system } = process.cpuUsage(cpu);
  latencies.sort((a, b) => a - b);
  return {
    cpuMicros: (user + system) / count,
    perSecond: (count / (performance.now() - started)) * 1000,
    medianMs: latencies[Math.floor(count / 2)]!,
    slowestPercentMs: latencies[Math.floor(count * 0.99)]!,
  };
}

const inFlight = 32;
await run(Number(size) / 2, inFlight);
const figures = await run(Number(size), inFlight);
await close();
process.send!(figures, () => process.exit(0));
