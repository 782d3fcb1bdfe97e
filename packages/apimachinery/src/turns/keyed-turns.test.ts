import { expect, it } from 'vitest';
import { KeyedTurns } from './keyed-turns.ts';

it('calls with the same key run one after the other, also after a failure', async () => {
  const turns = new KeyedTurns();
  const order: string[] = [];
  const step = (key: string, name: string, fails = false) =>
    turns.run(key, async () => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
      if (fails) throw new Error(name);
    });
  await Promise.allSettled([step('a', '1', true), step('a', '2'), step('b', '3')]);
  expect(order).toEqual(['1 begins', '3 begins', '1 ends', '3 ends', '2 begins', '2 ends']);
});
