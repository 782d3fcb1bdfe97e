import { setImmediate } from 'node:timers/promises';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import { expect, it } from 'vitest';
import { LaterStart } from './later-start.ts';

function laterStart() {
  const started: string[] = [];
  return { started, later: new LaterStart({ startComponent: (name) => void started.push(name) }, systemEventLoop) };
}

it('starts components when those who wait at this moment have gone on', async () => {
  const { started, later } = laterStart();
  expect(later.isOver).toBe(true);
  later.next(['controllers', 'scheduler']);
  await Promise.resolve();
  expect([started, later.isOver]).toEqual([[], false]);
  await setImmediate();
  expect([started, later.isOver]).toEqual([['controllers', 'scheduler'], true]);
});

it('does not start what was stopped before, and nothing once it is cancelled', async () => {
  const { started, later } = laterStart();
  later.next(['controllers', 'scheduler']);
  later.skip('controllers');
  await setImmediate();
  expect(started).toEqual(['scheduler']);
  later.next(['controllers']);
  later.cancel();
  await setImmediate();
  expect([started, later.isOver]).toEqual([['scheduler'], true]);
});
