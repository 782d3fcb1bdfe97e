import { expect, it } from 'vitest';
import { DomainIndex } from './domain-index.ts';

it('puts rows with the same value into the same domain, and those without one into none', () => {
  const index = new DomainIndex('zone');
  ['a', 'b', undefined, 'a', ''].forEach((value, row) => {
    index.set(row, value);
  });
  const [a, b, none, again, empty] = [0, 1, 2, 3, 4].map((row) => index.domain(row));
  expect(again).toBe(a);
  expect(none).toBe(-1);
  expect(new Set([a, b, empty]).size).toBe(3);
  expect(index.domain(99)).toBe(-1);
});

it('reuses the numbers of removed domains', () => {
  const index = new DomainIndex('zone');
  index.set(1, 'stays');
  for (let i = 0; i < 100; i++) index.set(0, `value${i}`);
  index.set(0, undefined);
  index.set(2, 'new');
  expect(index.capacity).toBe(2);
  expect(index.domain(2)).not.toBe(index.domain(1));
});
