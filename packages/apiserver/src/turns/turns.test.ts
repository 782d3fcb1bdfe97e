import type { Steps } from '@coxswain/apimachinery';
import { CountingEventLoop } from '@coxswain/apimachinery/turns';
import { expect, it } from 'vitest';
import { inTurns, Turns } from './turns.ts';

function* twoSteps(): Steps<string> {
  yield;
  return 'done';
}

it('completes a computation synchronously when a request has no turns', () => {
  expect(inTurns(undefined, twoSteps())).toBe('done');
});

it('yields to the event loop during a computation when a request has turns', async () => {
  let yields = 0;
  const loop = new CountingEventLoop({
    msPerLook: 2,
    onNextTurn(callback) {
      yields++;
      queueMicrotask(callback);
    },
  });
  expect(await inTurns(new Turns(loop), twoSteps())).toBe('done');
  expect(yields).toBe(1);
});
