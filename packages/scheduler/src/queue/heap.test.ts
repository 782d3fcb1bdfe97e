import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Heap } from './heap.ts';

interface Item {
  readonly name: string;
  readonly rank: number;
}

const newHeap = (): Heap<Item> => new Heap((a, b) => a.rank < b.rank);
const drain = (heap: Heap<Item>): string[] => {
  const names: string[] = [];
  for (let item = heap.pop(); item; item = heap.pop()) names.push(item.name);
  return names;
};

it('returns equal items in the order of insertion', () => {
  const heap = newHeap();
  for (const name of 'abcdefghij') heap.addOrUpdate(name, { name, rank: 0 });
  heap.delete('d');
  expect(drain(heap).join('')).toBe('abcefghij');
});

it('reorders a changed item and drops its old value', () => {
  const heap = newHeap();
  for (const [rank, name] of [...'abcde'].entries()) heap.addOrUpdate(name, { name, rank });
  heap.addOrUpdate('a', { name: 'a', rank: 10 });
  heap.addOrUpdate('e', { name: 'e', rank: -1 });
  expect(heap.get('a')).toEqual({ name: 'a', rank: 10 });
  expect(heap.size).toBe(5);
  expect(drain(heap)).toEqual(['e', 'b', 'c', 'd', 'a']);
});

it('returns undefined when it is empty', () => {
  const heap = newHeap();
  expect([heap.peek(), heap.pop(), heap.delete('x'), heap.get('x'), heap.has('x'), heap.size]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    false,
    0,
  ]);
});

it('behaves like a sorted list', () => {
  const step = fc.record({
    verb: fc.constantFrom('add', 'add', 'delete', 'pop'),
    name: fc.constantFrom(...'abcdefghijklmnop'),
    rank: fc.integer({ min: 0, max: 4 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const heap = newHeap();
      /** In order of insertion. */
      const model = new Map<string, Item>();
      const sorted = (): Item[] => [...model.values()].sort((a, b) => a.rank - b.rank);
      for (const { verb, name, rank } of steps) {
        if (verb === 'add') {
          heap.addOrUpdate(name, { name, rank });
          model.set(name, { name, rank });
        } else if (verb === 'delete') {
          expect(heap.delete(name)).toEqual(model.get(name));
          model.delete(name);
        } else {
          const [first] = sorted();
          expect(heap.pop()).toEqual(first);
          if (first) model.delete(first.name);
        }
        expect(heap.peek()).toEqual(sorted()[0]);
        expect(heap.size).toBe(model.size);
      }
      expect([...heap.values()].map((item) => item.name).sort()).toEqual([...model.keys()].sort());
      const expected = sorted().map((item) => item.name);
      expect(drain(heap)).toEqual(expected);
    }),
  );
});
