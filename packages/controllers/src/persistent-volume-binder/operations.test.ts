import { FakeClock } from '@coxswain/client';
import { expect, it } from 'vitest';
import { Operations } from './operations.ts';

it('only one operation per name runs at a time, and failed ones have increasing delays', async () => {
  const clock = new FakeClock();
  const failures: string[] = [];
  const operations = new Operations(clock, (name) => failures.push(name));
  let runs = 0;
  const fail = async (): Promise<void> => {
    runs++;
    throw new Error('no');
  };
  const tryAfter = async (delayMs: number): Promise<number> => {
    await clock.advance(delayMs);
    operations.start('a', fail);
    operations.start('a', fail);
    await operations.finished();
    return runs;
  };
  expect(await tryAfter(0)).toBe(1);
  expect(await tryAfter(499)).toBe(1);
  expect(await tryAfter(1)).toBe(2);
  expect(await tryAfter(999)).toBe(2);
  expect(await tryAfter(1)).toBe(3);
  expect(failures).toEqual(['a', 'a', 'a']);
  operations.forget('a');
  expect(await tryAfter(0)).toBe(4);
  expect(operations.isIdle).toBe(true);
});

it('sleeping operations count as idle', async () => {
  const clock = new FakeClock();
  const operations = new Operations(clock, () => {});
  operations.start('a', () => operations.sleep(1000, new AbortController().signal));
  expect(operations.isIdle).toBe(false);
  await clock.advance(500);
  expect(operations.isIdle).toBe(true);
  await clock.advance(500);
  await operations.finished();
  expect(operations.isIdle).toBe(true);
});
