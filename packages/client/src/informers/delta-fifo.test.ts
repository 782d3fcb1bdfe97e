import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Delta, DeltaFIFO } from './delta-fifo.ts';

/** Generates changes like an informer: for each key an add, updates and resyncs, a delete, an add, and so on. */
class Source {
  readonly there = new Map<string, number>();
  #next = 1;

  change(key: string, what: 'set' | 'remind' | 'remove'): Delta<number> | undefined {
    const old = this.there.get(key);
    if (what === 'remind') return old === undefined ? undefined : { type: 'Sync', key, object: old };
    if (what === 'remove') {
      this.there.delete(key);
      return old === undefined ? undefined : { type: 'Deleted', key, object: old };
    }
    const object = this.#next++;
    this.there.set(key, object);
    return old === undefined
      ? { type: 'Added', key, object, isInInitialList: false }
      : { type: 'Updated', key, old, object };
  }
}

/** Applies a change to the known state, and fails if it does not fit that state. */
function follow(seen: Map<string, unknown>, delta: Delta<number>): void {
  const known = seen.get(delta.key);
  switch (delta.type) {
    case 'Added':
      expect(known).toBeUndefined();
      seen.set(delta.key, delta.object);
      break;
    case 'Updated':
      expect(known).toBe(delta.old);
      seen.set(delta.key, delta.object);
      break;
    case 'Sync':
      expect(known).toBe(delta.object);
      break;
    case 'Deleted':
      expect(known).toBeDefined();
      seen.delete(delta.key);
  }
}

const change = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  what: fc.constantFrom('set' as const, 'set' as const, 'remind' as const, 'remove' as const),
});
const steps = fc.array(fc.oneof({ weight: 3, arbitrary: change }, { weight: 1, arbitrary: fc.constant('take') }), {
  maxLength: 60,
});

describe('DeltaFIFO', () => {
  it('returns every change in order to a reader that keeps up', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const source = new Source();
        const queue = new DeltaFIFO<number>(1000);
        const waiting: Delta<number>[] = [];
        for (const step of all) {
          if (typeof step === 'string') {
            expect(queue.shift()).toBe(waiting.shift());
            continue;
          }
          const delta = source.change(step.key, step.what);
          if (!delta) continue;
          waiting.push(delta);
          queue.push(delta);
        }
        expect(queue.size).toBe(waiting.length);
      }),
    );
  });

  it('returns net changes in a consistent order to a slow reader, and stays bounded', () => {
    fc.assert(
      fc.property(steps, fc.nat(4), (all, coalesceAbove) => {
        const source = new Source();
        const queue = new DeltaFIFO<number>(coalesceAbove);
        const seen = new Map<string, unknown>();
        for (const step of all) {
          if (typeof step !== 'string') {
            const delta = source.change(step.key, step.what);
            if (delta) queue.push(delta);
          } else {
            const delta = queue.shift();
            if (delta) follow(seen, delta);
          }
          expect(queue.size).toBeLessThanOrEqual(coalesceAbove + 2 * 3);
        }
        for (let delta = queue.shift(); delta; delta = queue.shift()) follow(seen, delta);
        expect(queue.size).toBe(0);
        expect(seen).toEqual(source.there);
      }),
    );
  });

  const added: Delta<number> = { type: 'Added', key: 'a', object: 1, isInInitialList: true };
  const updated: Delta<number> = { type: 'Updated', key: 'a', old: 1, object: 2 };
  const again: Delta<number> = { type: 'Updated', key: 'a', old: 2, object: 3 };
  const deleted: Delta<number> = { type: 'Deleted', key: 'a', object: 2 };
  const anew: Delta<number> = { type: 'Added', key: 'a', object: 9, isInInitialList: false };
  it.each<[string, Delta<number>[], Delta<number>[]]>([
    ['an add and an update become an add of the last state', [added, updated], [{ ...added, object: 2 }]],
    ['an add and a delete cancel out', [added, updated, deleted], []],
    ['updates become one from the first state to the last', [updated, again], [{ ...again, old: 1 }]],
    ['an update and a delete become the delete', [updated, deleted], [deleted]],
    ['an update followed by a resync stays', [updated, { type: 'Sync', key: 'a', object: 2 }], [updated]],
    ['a resync followed by an update becomes the update', [{ type: 'Sync', key: 'a', object: 1 }, updated], [updated]],
    ['a delete and an add of the same name stay separate', [updated, deleted, anew], [deleted, anew]],
    ['an add and a delete after a delete cancel out', [updated, deleted, anew, { ...deleted, object: 9 }], [deleted]],
  ])('while coalescing: %s', (_, pushed, expected) => {
    const queue = new DeltaFIFO<number>(0);
    for (const delta of pushed) queue.push(delta);
    const got: unknown[] = [];
    for (let delta = queue.shift(); delta; delta = queue.shift()) got.push(delta);
    expect(got).toEqual(expected);
  });
});
