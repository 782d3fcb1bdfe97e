import { newConflict } from '@coxswain/apimachinery/errors';
import { recordLogs } from '@coxswain/apimachinery/log';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { noMetrics, systemClock } from '@coxswain/client';
import { ItemFastSlowRateLimiter } from '@coxswain/client/workqueue';
import { expect, it } from 'vitest';
import { Activity } from './controller.ts';
import { ReconcileLoop } from './reconcile-loop.ts';

/** Returns the log lines for an object whose reconciliation fails with each of the errors in turn and then succeeds. */
async function toldOf(errors: readonly Error[], maxRetries?: number, verbosity = 2): Promise<readonly string[]> {
  const { logger, lines } = recordLogs({ verbosity });
  const stop = new AbortController();
  const left = [...errors];
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
  return lines;
}

const conflict = newConflict(GroupResource.of('apps', 'deployments'), 'web', new Error('the object has been modified'));
const because = `err=${JSON.stringify(conflict.message)}`;
const again = `info "Requeueing after a conflict" queue="deployment" key="ns/web" ${because}`;
const failed = `error "Failed to sync" ${because} queue="deployment" key="ns/web"`;

it('logs a conflict as an error only after several in a row, or when the key is not retried', async () => {
  expect(await toldOf([conflict])).toEqual([again]);
  expect(await toldOf([conflict, conflict, conflict, conflict])).toEqual([again, again, again, failed]);
  expect(await toldOf([conflict], 0)).toEqual([failed]);
  expect(await toldOf([new Error('no')])).toEqual(['error "Failed to sync" err="no" queue="deployment" key="ns/web"']);
});

it('logs each sync at verbosity 4', async () => {
  expect(await toldOf([], undefined, 4)).toEqual([
    expect.stringMatching(/^info "Finished syncing" queue="deployment" key="ns\/web" durationMs=\d+$/),
  ]);
});
