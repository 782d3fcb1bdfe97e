import { setImmediate } from 'node:timers/promises';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import { expect, it } from 'vitest';
import { LaterStart } from './later-start.ts';

function laterStart() {
  const started: string[] = [];
  return { started, later: new LaterStart({ startComponent: (name) => void started.push(name) }, systemEventLoop) };
}

it('starts components after the promises that resolve in this turn', async () => {
  const { started, later } = laterStart();
  expect(later.isOver).toBe(true);
  later.next(['controllers', 'scheduler']);
  await Promise.resolve();
  expect([started, later.isOver]).toEqual([[], false]);
  await setImmediate();
  expect([started, later.isOver]).toEqual([['controllers', 'scheduler'], true]);
});

it('does not start components that were skipped, and none after cancel', async () => {
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
