import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { InternTable } from './intern.ts';

it('drops values that are no longer referenced', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const table = new InternTable<{ id: number }>();
  const kept = table.add('kept', { id: -1 });
  for (let id = 0; id < 1000; id++) table.add(`made up ${id}`, { id });
  // A value dereferenced in this turn of the event loop lives until its end; finalizers run in a later turn.
  for (let turn = 0; turn < 50 && table.size > 1; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  expect(table.size).toBe(1);
  expect(table.get('kept')).toBe(kept);
});
