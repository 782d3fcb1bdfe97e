import { newConflict } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { noMetrics, systemClock } from '@coxswain/client';
import { ItemFastSlowRateLimiter } from '@coxswain/client/workqueue';
import { expect, it } from 'vitest';
import { Activity } from './controller.ts';
import { ReconcileLoop } from './reconcile-loop.ts';

/** What is told of an object whose reconciliation fails with one after the other, and then succeeds. */
async function toldOf(errors: readonly Error[], maxRetries?: number): Promise<string[]> {
  const told: string[] = [];
  const stop = new AbortController();
  const left = [...errors];
  const logger = {
    info: (message: string) => void told.push(`info ${message}`),
    warn: (message: string) => void told.push(`warn ${message}`),
    error: (message: string, error: unknown) => void told.push(`error ${message}: ${(error as Error).message}`),
  };
  const loop = new ReconcileLoop(
    { clock: systemClock, metrics: noMetrics, coalesceMs: 0, activity: new Activity(), logger },
    {
      name: 'deployment',
      synced: [],
      rateLimiter: new ItemFastSlowRateLimiter(0, 0, 0),
      ...(maxRetries !== undefined && { maxRetries }),
      reconcile: async () => {
        const error = left.shift();
        if (left.length === 0) setImmediate(() => stop.abort());
        if (error) throw error;
      },
    },
  );
  loop.add({ metadata: { namespace: 'ns', name: 'web' } });
  await loop.run(stop.signal);
  return told;
}

const conflict = newConflict(GroupResource.of('apps', 'deployments'), 'web', new Error('somebody was faster'));
const again = `info deployment: ns/web is reconciled again: ${conflict.message}`;
const failed = `error deployment: ns/web could not be reconciled: ${conflict.message}`;

it('tells of conflicts as of nothing wrong, unless they go on or it is given up', async () => {
  expect(await toldOf([conflict])).toEqual([again]);
  expect(await toldOf([conflict, conflict, conflict, conflict])).toEqual([again, again, again, failed]);
  expect(await toldOf([conflict], 0)).toEqual([failed]);
  expect(await toldOf([new Error('no')])).toEqual(['error deployment: ns/web could not be reconciled: no']);
});
