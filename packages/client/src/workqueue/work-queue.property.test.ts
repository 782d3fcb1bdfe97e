import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PriorityQueue } from './priority-queue.ts';
import { ItemExponentialFailureRateLimiter } from './rate-limiter.ts';
import { RateLimitingQueue } from './rate-limiting-queue.ts';
import { runWorkers } from './run-workers.ts';
import { WorkQueue } from './work-queue.ts';

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('add' as const), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('get' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('done' as const), key }) },
);

describe('a work queue under any sequence of calls', () => {
  it.each([
    { name: 'WorkQueue', create: () => new WorkQueue<string>() },
    { name: 'PriorityQueue with one priority', create: () => new PriorityQueue<string>() },
  ])('$name: behaves like a model of two sets and a list', ({ create }) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = create();
        const waiting: string[] = [];
        const running = new Set<string>();
        const again = new Set<string>();
        for (const one of steps) {
          if (one.do === 'add') {
            queue.add(one.key);
            if (running.has(one.key)) again.add(one.key);
            else if (!waiting.includes(one.key)) waiting.push(one.key);
          } else if (one.do === 'get') {
            const expected = waiting.shift();
            expect(queue.tryGet()).toBe(expected);
            if (expected !== undefined) running.add(expected);
          } else {
            queue.done(one.key);
            if (running.delete(one.key) && again.delete(one.key)) waiting.push(one.key);
          }
          expect(queue.len).toBe(waiting.length);
        }
      }),
    );
  });
});

describe('workers on a queue', () => {
  it.each([
    { name: 'RateLimitingQueue', create: RateLimitingQueue },
    { name: 'PriorityQueue', create: PriorityQueue },
  ])('$name: an item never has two workers, and every add is followed by a later run', async ({ create }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ key, turns: fc.nat(3) }), { minLength: 1, maxLength: 40 }),
        fc.array(fc.record({ turns: fc.nat(4), fails: fc.boolean() }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 4 }),
        async (adds, runs, workers) => {
          const queue = new create<string>({ rateLimiter: new ItemExponentialFailureRateLimiter(0, 0) });
          const running = new Set<string>();
          /** By key, the last add that a successful run has seen. */
          const added = new Map<string, number>();
          const seen = new Map<string, number>();
          let count = 0;
          const { signal } = new AbortController();
          const done = runWorkers(queue, { workers, signal, onError() {} }, async (item) => {
            expect(running.has(item)).toBe(false);
            running.add(item);
            const run = runs[count++ % runs.length]!;
            const version = added.get(item)!;
            await turns(run.turns);
            running.delete(item);
            // Later runs succeed, so that the test ends.
            if (run.fails && count < 100) throw new Error('not this time');
            seen.set(item, version);
          });
          for (const one of adds) {
            added.set(one.key, (added.get(one.key) ?? 0) + 1);
            queue.add(one.key);
            await turns(one.turns);
          }
          const isOver = (): boolean => [...added].every(([item, version]) => seen.get(item) === version);
          for (let i = 0; i < 10_000 && !isOver(); i++) await turns(1);
          await queue.shutDownWithDrain();
          await done;
          expect(seen).toEqual(added);
        },
      ),
      { numRuns: 60 },
    );
  });
});

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await Promise.resolve();
}
