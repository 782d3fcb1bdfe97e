import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

it('lets others run between steps when two milliseconds are over', async () => {
  let now = 0;
  const turns = new Turns(() => now);
  const order: string[] = [];
  setImmediate(() => order.push('another'));
  const result = await turns.complete(
    (function* () {
      order.push('first');
      now += 1;
      yield;
      order.push('second');
      now += 1;
      yield;
      order.push('third');
      return 'done';
    })(),
  );
  expect(result).toBe('done');
  expect(order).toEqual(['first', 'second', 'another', 'third']);
});

it('goes on at once before that', async () => {
  const turns = new Turns(() => 0);
  let another = false;
  setImmediate(() => {
    another = true;
  });
  await turns.next();
  expect(another).toBe(false);
});
