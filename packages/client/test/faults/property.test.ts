import type { ConfigMap } from '@coxswain/api/core/v1';
import { isAlreadyExists, isNotFound } from '@coxswain/apimachinery/errors';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RESTClient } from '../../src/rest/index.ts';
import { newTransport } from '../../src/transport/new-transport.ts';
import { startTestCluster, type TestCluster } from '../cluster.ts';
import { fastClock } from './fast-clock.ts';
import { type Fault, FaultProxy } from './fault-proxy.ts';
import { disorder, versions, WatchedInformer } from './watched-informer.ts';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

type Step =
  | { readonly do: 'create' | 'update' | 'delete' | 'recreate'; readonly name: string }
  /** The fault of the next request. */
  | { readonly do: 'fault'; readonly fault: Fault }
  /** Resets all connections. */
  | { readonly do: 'reset' }
  /** Waits until the informer has caught up. */
  | { readonly do: 'settle' };

const names = fc.integer({ min: 0, max: 7 }).map((index) => `object-${index}`);
const afterBytes = fc.integer({ min: 0, max: 3000 });
const gone = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', message: 'made up', code: 410 };

const faults: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constantFrom('reset', 'cut', 'truncate'), afterBytes }),
  fc.constant<Fault>({ kind: 'refuse' }),
  fc.record({
    kind: fc.constant('inject'),
    afterBytes: fc.constant(0),
    text: fc.constantFrom(`{"type":"ERROR","object":${JSON.stringify(gone)}}\n`, 'garbage\n'),
  }),
  fc.record({
    kind: fc.constant('answer'),
    status: fc.constantFrom(410, 429, 500, 503),
    body: fc.constant(JSON.stringify(gone)),
  }),
);

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('create', 'update', 'delete', 'recreate'), name: names }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('fault'), fault: faults }) },
    { weight: 2, arbitrary: fc.constant<Step>({ do: 'reset' }) },
    { weight: 1, arbitrary: fc.constant<Step>({ do: 'settle' }) },
  ),
  { minLength: 5, maxLength: 40 },
);

it('handlers receive for every object an add, then updates, then a delete, and the cache ends equal to the server', async () => {
  const configMaps = cluster.clients.core.v1.configMaps(cluster.namespace);
  const inServer = async () => versions((await configMaps.list()).items);
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      await configMaps.deleteCollection();
      const proxy = await FaultProxy.start(cluster.transport);
      const pending: Fault[] = [];
      proxy.plan = () => pending.shift();
      const clock = fastClock(500);
      const transport = await newTransport({ server: proxy.url, clock, qps: 0 });
      const watched = new WatchedInformer(new RESTClient(transport), cluster.namespace, clock);
      try {
        let struck = 0;
        for (const [index, step] of plan.entries()) {
          if (step.do === 'fault') pending.push(step.fault);
          else if (step.do === 'reset') proxy.resetAll();
          else if (step.do === 'settle') await watched.becomes(await inServer());
          else await act(step, index);
          if (step.do === 'fault' || step.do === 'reset') struck++;
        }
        await act({ do: 'recreate', name: 'last' }, plan.length);
        await watched.becomes(await inServer());
        for (const sightings of watched.sightings.values()) expect(disorder(sightings)).toBeUndefined();
        // Each fault costs a watch, a restart with a streaming list, and perhaps a paged list.
        expect(proxy.requests.length).toBeLessThanOrEqual(4 + 4 * struck);
      } finally {
        await watched.stop();
        await transport.close();
        await proxy.stop();
      }
    }),
    { numRuns: 40 },
  );

  async function act(
    step: { do: 'create' | 'update' | 'delete' | 'recreate'; name: string },
    round: number,
  ): Promise<void> {
    const object: ConfigMap = { metadata: { name: step.name }, data: { round: String(round) } };
    // Changes of missing objects and creations of existing ones fail; that does not matter.
    const unless = (isExpected: (error: unknown) => boolean) => (error: unknown) => {
      if (!isExpected(error)) throw error;
    };
    if (step.do === 'delete' || step.do === 'recreate') await configMaps.delete(step.name).catch(unless(isNotFound));
    if (step.do === 'create' || step.do === 'recreate') await configMaps.create(object).catch(unless(isAlreadyExists));
    if (step.do === 'update') {
      await configMaps.patch(step.name, 'merge', { data: { round: String(round) } }).catch(unless(isNotFound));
    }
  }
});
