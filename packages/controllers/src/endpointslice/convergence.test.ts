import { newConflict, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { endpointsController } from '../endpoints/index.ts';
import { endpointSliceMirroringController } from '../endpointslice-mirroring/index.ts';
import { newEndpointSliceController } from './index.ts';
import { addressesOf, Network } from './pods.test-data.ts';

let cluster: TestCluster;
let network: Network;
beforeAll(async () => {
  cluster = await TestCluster.start({
    controllers: [
      newEndpointSliceController({ maxEndpointsPerSlice: 3 }),
      endpointsController,
      endpointSliceMirroringController,
    ],
  });
  network = new Network(cluster);
  await network.node('node-1');
});
afterAll(() => cluster.stop());

const pods = () => cluster.clients.core.v1.pods('default');
const slices = () => cluster.clients.discovery.v1.endpointSlices('default');

type Step = {
  readonly kind: 'pod' | 'toggle' | 'end' | 'kill' | 'tamper' | 'lose' | 'restart' | 'fail';
  readonly which: number;
};
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('pod', 'pod', 'pod', 'toggle', 'end', 'kill', 'tamper', 'lose', 'restart', 'fail'),
  which: fc.nat(20),
});

interface Known {
  readonly name: string;
  readonly ip: string;
  ready: boolean;
}

/** Performs random changes of a service's pods and slices, and faults. Returns the remaining pods. */
async function take(steps: readonly Step[], app: string): Promise<Known[]> {
  const known: Known[] = [];
  for (const [i, { kind, which }] of steps.entries()) {
    const pod = known[which % known.length];
    if (kind === 'pod') {
      const name = `${app}-${i}`;
      const { status } = await network.pod(name, { labels: { app }, ready: which % 2 === 0 });
      known.push({ name, ip: status!.podIP!, ready: which % 2 === 0 });
    } else if (kind === 'restart') {
      await cluster.stopControllers();
      cluster.startControllers();
    } else if (kind === 'fail') {
      let failures = which % 4;
      cluster.spy.plan = ({ method }) => {
        if (method === 'GET' || failures-- <= 0) return;
        throw which % 2 === 0
          ? newInternalError(new Error('injected'))
          : newConflict(GroupResource.of('', 'x'), 'y', new Error('injected'));
      };
    } else if (kind === 'tamper' || kind === 'lose') {
      const all = await network.slices(app);
      const name = all[which % all.length]?.metadata.name;
      if (!name) continue;
      if (kind === 'lose') await slices().delete(name);
      else await slices().patch(name, 'merge', { endpoints: [{ addresses: ['10.200.0.1'] }] });
    } else if (pod) {
      if (kind === 'toggle') {
        pod.ready = !pod.ready;
        await network.ready(pod.name, pod.ready);
        continue;
      }
      known.splice(known.indexOf(pod), 1);
      if (kind === 'end') await network.end(pod.name);
      else await pods().delete(pod.name, { gracePeriodSeconds: 0 });
    }
  }
  return known;
}

it('after random changes and faults, slices and Endpoints match the pods, and no more writes follow', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const app = `app-${run++}`;
      await network.service(app, { selector: { app } });
      const left = await take(steps, app);
      await cluster.advance(30_000, 1000);
      cluster.spy.plan = () => {};
      await cluster.advance(20_000, 1000);

      const found = await network.slices(app);
      const expected = left.map(({ ip }) => ip).sort();
      expect(found.flatMap(addressesOf).sort()).toEqual(expected);
      const readyIps = left.filter(({ ready }) => ready).map(({ ip }) => ip);
      const ready = found.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions?.ready);
      expect(ready.map(({ addresses }) => addresses[0]).sort()).toEqual(readyIps.sort());
      expect(found.every(({ endpoints }) => (endpoints?.length ?? 0) <= 3)).toBe(true);

      const { subsets = [] } = await cluster.clients.core.v1.endpoints('default').get(app);
      expect(subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip)).sort()).toEqual(readyIps);
      expect(found.length).toBeGreaterThan(0);

      const before = cluster.spy.writes.length;
      await cluster.advance(600_000, 100_000);
      expect(cluster.spy.writes.slice(before)).toEqual([]);
    }),
    { numRuns: 8 },
  );
}, 120_000);
