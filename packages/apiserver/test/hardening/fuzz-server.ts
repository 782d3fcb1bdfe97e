import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openMemoryStore } from '@coxswain/storage';
import { inProcessCaller } from '../requests/caller.ts';
import { startTestServer, type TestServer } from '../test-server.ts';
import { problemOf } from './answer-checks.ts';
import { type Answer, asAdmin } from './clients.ts';
import { Dice } from './dice.ts';
import type { HostileRequest } from './hostile-requests.ts';
import { WrappedStore } from './wrapped-store.ts';

/** `FUZZ_RUNS` and `FUZZ_SEED` are for longer runs, and for reproducing a failure. */
export const fuzzRuns = (usual: number): number => Number(process.env.FUZZ_RUNS ?? usual);
export const firstSeed = Number(process.env.FUZZ_SEED ?? 1);
/** The maximum processor time of a request, during which all others wait. Long runs set a lower limit. */
const maxBlockMs = Number(process.env.FUZZ_MAX_BLOCK_MS ?? 5_000);

export const described = ({ method, url, headers, body }: HostileRequest): string =>
  `${method} ${url.slice(0, 200)} ${headers['content-type'] ?? ''} ${Buffer.from(body ?? [])
    .toString()
    .slice(0, 200)}`;

/** A server with a port for random requests, with checks of its behaviour. */
export class FuzzServer {
  readonly running: TestServer;
  readonly store: WrappedStore;
  /** Uncaught exceptions and unhandled rejections. */
  readonly stray: unknown[] = [];
  readonly #onStray = (error: unknown): void => {
    this.stray.push(error);
  };

  private constructor(running: TestServer, store: WrappedStore) {
    this.running = running;
    this.store = store;
    process.on('unhandledRejection', this.#onStray);
    process.on('uncaughtException', this.#onStray);
  }

  static async start(): Promise<FuzzServer> {
    const store = new WrappedStore(openMemoryStore());
    return new FuzzServer(await startTestServer({ listen: true, store }), store);
  }

  async stop(): Promise<void> {
    await this.running.server.stop();
    process.off('unhandledRejection', this.#onStray);
    process.off('uncaughtException', this.#onStray);
  }

  /** Sends a request, and aborts it after 100 ms, so that watches end. */
  async send(request: HostileRequest): Promise<Answer> {
    const call = inProcessCaller(this.running.server.transport());
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), 100);
    const { status, headers, body } = await call(request, controller.signal);
    const chunks: Uint8Array[] = [];
    if (request.method !== 'HEAD') for await (const chunk of body) chunks.push(chunk);
    clearTimeout(timer);
    return { status, headers: headers as Answer['headers'], text: Buffer.concat(chunks).toString('latin1') };
  }

  /** Sends a JSON request as the administrator. */
  sendJson(method: string, url: string, object?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const body = object && { body: Buffer.from(JSON.stringify(object)) };
    return this.send({ method, url, headers: { ...asAdmin, ...headers }, ...body });
  }

  /**
   * Sends a request for each seed. Returns invalid responses, requests that took too much processor time, and writes by refused
   * requests. `isOwnWrite` returns whether a write is by the server itself.
   */
  async problems(
    runs: number,
    make: (dice: Dice) => HostileRequest,
    isOwnWrite: (key: string) => boolean,
  ): Promise<string[]> {
    const problems: string[] = [];
    let worst = { ms: 0, what: '' };
    const written: string[] = [];
    this.store.wrote = (operation, key) => {
      if (!isOwnWrite(key)) written.push(`${operation} ${key}`);
    };
    for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
      const request = make(new Dice(seed));
      written.length = 0;
      const cpu = process.cpuUsage();
      const answer = await this.send(request).catch((error: Error) => ({
        status: 0,
        headers: {},
        text: `${error.stack}`,
      }));
      const { user, system } = process.cpuUsage(cpu);
      const ms = (user + system) / 1_000;
      const what = `seed ${seed}: ${described(request)} -> ${answer.status}`;
      if (ms > worst.ms) worst = { ms, what };
      if (ms > maxBlockMs) problems.push(`${ms} ms for ${what}`);
      const problem = problemOf(request, answer);
      if (problem) problems.push(`${problem}, ${what} ${answer.text.slice(0, 300)}`);
      // A deletion may succeed although its response cannot be encoded as requested.
      if (answer.status >= 400 && written.length > 0 && request.method !== 'DELETE')
        problems.push(`${written.join()} by ${what}`);
    }
    this.store.wrote = () => {};
    if (process.env.FUZZ_RUNS) console.log(`worst: ${worst.ms} ms, ${worst.what}`);
    return problems;
  }

  /** Returns the growth of the heap in bytes during a round of dry runs, once caches are filled. */
  async growth(make: (dice: Dice) => HostileRequest, runs: number): Promise<number> {
    const heap: number[] = [];
    for (let round = 0; round < 5; round++) {
      for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
        const request = make(new Dice(seed));
        // Dry runs, because stored objects would take memory.
        const dryRun = request.url.includes('?') ? '&dryRun=All' : '?dryRun=All';
        await this.send({ ...request, url: request.url.replace(/dryRun=[^&]*/g, '') + dryRun });
      }
      heap.push(usedHeap());
    }
    return (heap.at(-1) ?? 0) - (heap[2] ?? 0);
  }
}

/** Returns the used heap after a garbage collection. */
export function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
