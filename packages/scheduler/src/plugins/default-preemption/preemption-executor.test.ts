import type { Pod } from '@coxswain/api/core/v1';
import { recordLogs } from '@coxswain/apimachinery/log';
import { noMetrics, systemClock } from '@coxswain/client';
import { FakeTransport } from '@coxswain/client/testing';
import { expect, it } from 'vitest';
import type { Handle } from '../../framework/handle.ts';
import { HeldPods } from '../../framework/waiting-pod.ts';
import { BoundedTasks } from '../../scheduling/bounded-tasks.ts';
import { fakeHandle } from '../fake-handle.test-data.ts';
import { Candidate } from './candidates.ts';
import { PreemptionExecutor } from './preemption-executor.ts';
import { PreemptionMetrics } from './preemption-metrics.ts';

const pod = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'x', name, uid: name },
  spec: { containers: [] },
});

it('evicts victims within the limit for concurrent writes', async () => {
  const victims = Array.from({ length: 9 }, (_, i) => pod(`victim-${i}`));
  const transport = new FakeTransport({ objects: victims });
  let [asked, most] = [0, 0];
  transport.prependReactor('delete', 'pods', async () => {
    most = Math.max(most, ++asked);
    await new Promise((resolve) => setImmediate(resolve));
    asked--;
    return undefined;
  });
  const writes = new BoundedTasks(3);
  const reasons: string[] = [];
  const { logger, lines: failures } = recordLogs();
  const handle: Handle = {
    ...fakeHandle({ transport }),
    recorder: { event: (_, { reason }) => reasons.push(reason) },
    clock: systemClock,
    random: () => 0,
    logger,
    waitingPods: new HeldPods(),
    nominator: {
      nominatedPods: () => [],
      nominatedNode: () => undefined,
      addNominatedPod() {},
      deleteNominatedPod() {},
    },
    cancelPreBind: () => false,
    activate() {},
    write: (task) => writes.run(task),
  };
  const executor = new PreemptionExecutor(handle, new PreemptionMetrics(noMetrics), 'DefaultPreemption');
  const candidate = new Candidate('node', { pods: victims, numPDBViolations: 0 });
  executor.start(candidate, pod('preemptor'), new AbortController().signal);
  do await new Promise((resolve) => setImmediate(resolve));
  while (!writes.isIdle);
  expect(failures).toEqual([]);
  expect(reasons).toEqual(victims.map(() => 'Preempted'));
  expect(most).toBe(3);
});
