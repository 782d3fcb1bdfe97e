/** Runs one task of one side in its own process, and sends the result to the parent. */
import { get } from 'node:http';
import { ourSide, queueOperations } from './our-side.ts';
import { peerSide } from './peer-side.ts';
import type { Connect, Figures, Task } from './side.ts';

const [name, task, url, token, size] = process.argv.slice(2) as [string, Task, string, string, string];
const count = Number(size);
const server: Connect = { url, token };
const side = name === 'ours' ? ourSide() : peerSide();

async function measured(operation: () => Promise<number>): Promise<Figures> {
  globalThis.gc?.();
  const memory = process.memoryUsage();
  const cpu = process.cpuUsage();
  const started = performance.now();
  const operations = await operation();
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  const rssMB = (process.memoryUsage().rss - memory.rss) / 1e6;
  globalThis.gc?.();
  const heapBytes = process.memoryUsage().heapUsed - memory.heapUsed;
  return { wallMs, cpuMs: (user + system) / 1000, operations, rssMB, heapBytes };
}

const tasks: Record<Task, () => Promise<Figures>> = {
  import: () =>
    measured(async () => {
      await side.load();
      return 1;
    }),
  async list() {
    await side.load();
    await side.list(server);
    return measured(async () => {
      for (let i = 0; i < count; i++) await side.list(server);
      return count;
    });
  },
  async get() {
    await side.load();
    await side.gets(server, 2000, 32);
    return measured(async () => {
      await side.gets(server, count, 32);
      return count;
    });
  },
  async sync() {
    await side.load();
    let size = 0;
    const figures = await measured(async () => {
      const informer = await side.informer(server, () => {});
      size = informer.size;
      kept.push(informer);
      return size;
    });
    return figures;
  },
  async events() {
    await side.load();
    let seen = 0;
    let done = (): void => {};
    const round = async (): Promise<number> => {
      seen = 0;
      const all = new Promise<void>((resolve) => {
        done = resolve;
      });
      get(`${url}/go`).end();
      await all;
      return count;
    };
    await side.informer(server, () => {
      if (++seen === count) done();
    });
    // Watches run for a long time, so the first round, in which code is compiled and the heap grows, does not count.
    await round();
    return measured(round);
  },
  async queue() {
    await side.load();
    return measured(() => queueOperations(count));
  },
};

/** Keeps objects alive while the heap is measured. */
const kept: unknown[] = [];
process.send!(await tasks[task](), () => process.exit(0));
