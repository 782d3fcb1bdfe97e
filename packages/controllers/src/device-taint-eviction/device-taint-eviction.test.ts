import type { Device, DeviceTaint, DeviceToleration, ResourceClaim, ResourceSlice } from '@coxswain/api/resource/v1';
import type { DeviceTaintRule, DeviceTaintRuleSpec } from '@coxswain/api/resource/v1beta2';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { claimEviction } from './device-taints.ts';
import { deviceTaintEvictionController } from './index.ts';

const driver = 'gpu.example.com';
const s = 1000;

describe('claimEviction', () => {
  const since = '2024-01-01T00:00:00Z';
  const taint = (key: string, effect: DeviceTaint['effect'] = 'NoExecute'): DeviceTaint => ({
    key,
    effect,
    timeAdded: since,
  });
  const slice = (generation: number, ...taints: DeviceTaint[]): ResourceSlice => ({
    metadata: {},
    spec: { driver, pool: { name: 'p', generation, resourceSliceCount: 1 }, devices: [{ name: 'd', taints }] },
  });
  const claim = (tolerations: DeviceToleration[]): ResourceClaim => ({
    metadata: {},
    spec: {},
    status: { allocation: { devices: { results: [{ request: 'r', driver, pool: 'p', device: 'd', tolerations }] } } },
  });
  const rule = (deviceSelector: DeviceTaintRuleSpec['deviceSelector']): DeviceTaintRule => ({
    metadata: { name: 'rule' },
    spec: { ...(deviceSelector && { deviceSelector }), taint: taint('rule') },
  });
  const exists = (key: string, tolerationSeconds?: number): DeviceToleration => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    ...(tolerationSeconds !== undefined && { tolerationSeconds }),
  });

  it.each<[string, number | undefined, ResourceSlice[], DeviceToleration[], DeviceTaintRule[]]>([
    ['without a taint: never', undefined, [slice(1)], [], []],
    ['with a NoExecute taint: at once', 0, [slice(1, taint('a'))], [], []],
    ['with a NoSchedule taint: never', undefined, [slice(1, taint('a', 'NoSchedule'))], [], []],
    ['with a taint of an outdated generation: never', undefined, [slice(1, taint('a')), slice(2)], [], []],
    ['with a tolerated taint: never', undefined, [slice(1, taint('a'))], [exists('a')], []],
    ['with a toleration of all keys: never', undefined, [slice(1, taint('a'))], [exists('')], []],
    [
      'with tolerationSeconds: after the shortest time',
      30 * s,
      [slice(1, taint('a'))],
      [exists('a', 30), exists('a', 60)],
      [],
    ],
    ['with negative tolerationSeconds: at once', 0, [slice(1, taint('a'))], [exists('a', -1)], []],
    [
      'with tolerations with and without seconds: never',
      undefined,
      [slice(1, taint('a'))],
      [exists('a', 1), exists('a')],
      [],
    ],
    ['with a toleration of another value: at once', 0, [slice(1, taint('a'))], [{ key: 'a', value: 'x' }], []],
    ['with a toleration without effect: at once', 0, [slice(1, taint('a'))], [{ key: 'a', operator: 'Exists' }], []],
    [
      'with two taints: at the earlier time',
      5 * s,
      [slice(1, taint('a'), taint('b'))],
      [exists('a', 5), exists('b', 9)],
      [],
    ],
    ['with a rule for the driver: at once', 0, [slice(1)], [], [rule({ driver })]],
    [
      'with a rule for a device that is no longer published: at once',
      0,
      [],
      [],
      [rule({ driver, pool: 'p', device: 'd' })],
    ],
    ['with a rule for other devices: never', undefined, [slice(1)], [], [rule({ driver, device: 'e' })]],
    ['with a rule without selector: never', undefined, [slice(1)], [], [rule(undefined)]],
    ['with a tolerated rule: never', undefined, [slice(1)], [exists('rule')], [rule({})]],
  ])('%s', (_, afterMs, slices, tolerations, rules) => {
    const slicesOf = (): ResourceSlice[] => slices;
    const eviction = claimEviction(claim(tolerations), { slicesOf, rules });
    expect(eviction?.atMs).toBe(afterMs === undefined ? undefined : Date.parse(since) + afterMs);
  });
});

describe('pods on tainted devices', () => {
  let cluster: TestCluster;
  const pods = () => cluster.clients.core.v1.pods('default');
  const rules = () => cluster.clients.resource.v1beta2.deviceTaintRules();

  beforeEach(async () => {
    cluster = await TestCluster.start({
      controllers: [deviceTaintEvictionController],
      server: {
        memory: true,
        disableAdmissionPlugins: ['ServiceAccount'],
        runtimeConfig: new Map([['resource.k8s.io/v1beta2', 'true']]),
        featureGates: ['DRADeviceTaintRules=true'],
      },
    });
    await publish(1, [{ name: 'd1' }, { name: 'd2' }]);
    return () => cluster.stop();
  }, 60_000);

  async function publish(generation: number, devices: Device[]): Promise<void> {
    const slices = cluster.clients.resource.v1.resourceSlices();
    await slices.delete('s').catch(() => {});
    const pool = { name: 'p', generation, resourceSliceCount: 1 };
    await slices.create({ metadata: { name: 's' }, spec: { driver, nodeName: 'n', pool, devices } });
    await cluster.settle();
  }

  /** Creates a pod on a node, with a claim for the device. */
  async function runPod(
    name: string,
    device: string,
    tolerations: DeviceToleration[] = [],
    { isBoundLast = false } = {},
  ): Promise<void> {
    const claims = cluster.clients.resource.v1.resourceClaims('default');
    await claims.create({
      metadata: { name },
      spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', tolerations } }] } },
    });
    const pod = await pods().create({
      metadata: { name },
      spec: {
        ...(!isBoundLast && { nodeName: 'n' }),
        containers: [{ name: 'c', image: 'i', resources: { claims: [{ name: 'g' }] } }],
        resourceClaims: [{ name: 'g', resourceClaimName: name }],
      },
    });
    const results = [{ request: 'r', driver, pool: 'p', device, tolerations }];
    await claims.patchStatus(name, 'merge', {
      status: {
        allocation: { devices: { results } },
        reservedFor: [{ resource: 'pods', name, uid: pod.metadata.uid! }],
      },
    });
    await cluster.settle();
    if (!isBoundLast) return;
    await pods().bind(name, { target: { kind: 'Node', name: 'n' } });
    await cluster.settle();
  }

  const createRule = async (name: string, effect: DeviceTaint['effect'], device?: string): Promise<void> => {
    const deviceSelector = { driver, ...(device && { device }) };
    const taint = { key: 'k', effect, timeAdded: now() };
    await rules().create({ metadata: { name }, spec: { deviceSelector, taint } });
    await cluster.settle();
  };
  const isGoing = async (name: string): Promise<boolean> =>
    (await pods().get(name)).metadata.deletionTimestamp !== undefined;
  const condition = async (name: string): Promise<string[]> =>
    (await rules().get(name)).status?.conditions?.map(
      ({ type, status, reason, message, observedGeneration }) =>
        `${type}=${status} ${reason} (${observedGeneration}): ${message}`,
    ) ?? [];
  const marking = (pod: string): string => `Normal DeviceTaintManagerEviction Pod/${pod}: Marking for deletion`;
  const cancelling = (pod: string): string => `Normal DeviceTaintManagerEviction Pod/${pod}: Cancelling deletion`;
  const now = (): string => timeFromDate(new Date(cluster.clock.now()));
  const broken = (name: string): Device => ({
    name,
    taints: [{ key: 'broken', effect: 'NoExecute', timeAdded: now() }],
  });
  const tolerates = (tolerationSeconds: number): DeviceToleration[] => [
    { key: 'broken', operator: 'Exists', effect: 'NoExecute', tolerationSeconds },
    { key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds },
  ];

  it('are evicted at once, and those on other devices are not', async () => {
    await runPod('goes', 'd1');
    await runPod('stays', 'd2');
    await publish(1, [broken('d1'), { name: 'd2' }]);
    expect(await isGoing('goes')).toBe(true);
    expect(await isGoing('stays')).toBe(false);
    expect((await pods().get('goes')).status?.conditions?.at(-1)).toMatchObject({
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByDeviceTaintManager',
      message: 'Device Taint manager: deleting due to NoExecute taint',
    });
    expect(await cluster.events()).toEqual([marking('goes')]);
    cluster.spy.requests.length = 0;
    await cluster.advance(60 * s);
    expect(cluster.spy.writes).toEqual([]);
  });

  it('are evicted when they are bound to a node', async () => {
    await publish(2, [{ name: 'd1', taints: [{ key: 'k', effect: 'NoExecute', timeAdded: now() }] }]);
    await runPod('a', 'd1', [], { isBoundLast: true });
    expect(await isGoing('a')).toBe(true);
  });

  it('are evicted after the tolerationSeconds of their claims', async () => {
    await runPod('p', 'd1', tolerates(30));
    await publish(1, [broken('d1')]);
    await cluster.advance(29 * s);
    expect(await isGoing('p')).toBe(false);
    await cluster.advance(2 * s, 1 * s);
    expect(await isGoing('p')).toBe(true);
    expect(await cluster.events()).toEqual([marking('p')]);
  });

  it('are not evicted when the taint is removed in time', async () => {
    await runPod('p', 'd1', tolerates(30));
    await publish(1, [broken('d1')]);
    await cluster.advance(20 * s);
    await publish(2, [{ name: 'd1' }]);
    expect(await cluster.events()).toEqual([cancelling('p')]);
    await cluster.advance(60 * s);
    expect(await isGoing('p')).toBe(false);
  });

  it('are evicted by a rule, whose status reports the progress', async () => {
    await runPod('one', 'd1');
    await runPod('two', 'd1');
    await runPod('stays', 'd2');
    let first: string[] = [];
    cluster.spy.plan = async ({ method, url }) => {
      if (method === 'DELETE' && url.includes('/pods/') && first.length === 0) first = await condition('evict');
    };
    await createRule('evict', 'NoExecute', 'd1');
    expect(await Promise.all(['one', 'two', 'stays'].map(isGoing))).toEqual([true, true, false]);
    expect(first).toEqual([
      'EvictionInProgress=True PodsPendingEviction (1): 2 pods need to be evicted in 1 namespace.',
    ]);
    await cluster.advance(9 * s);
    expect(await condition('evict')).toEqual(first);
    await cluster.advance(2 * s, 1 * s);
    const done = ['EvictionInProgress=False Completed (1): 2 pods evicted since starting the controller.'];
    expect(await condition('evict')).toEqual(done);
    cluster.spy.requests.length = 0;
    await cluster.advance(120 * s, 10 * s);
    expect(cluster.spy.writes).toEqual([]);

    await runPod('later', 'd1');
    await cluster.advance(10 * s);
    expect(await condition('evict')).toEqual([
      'EvictionInProgress=False Completed (1): 3 pods evicted since starting the controller.',
    ]);
  });

  it('are not evicted by rules with other effects; with None the status reports the simulated effect', async () => {
    await runPod('one', 'd1');
    await runPod('two', 'd2');
    await createRule('dry', 'None');
    await createRule('narrow', 'None', 'd1');
    await createRule('other', 'NoSchedule');
    const rest =
      'if the effect was NoExecute. This information will not be updated again. ' +
      'Recreate the DeviceTaintRule to trigger an update.';
    expect(await condition('dry')).toEqual([
      `EvictionInProgress=False NoEffect (1): 2 published devices selected. 2 allocated devices selected. 2 pods would be evicted in 1 namespace ${rest}`,
    ]);
    expect(await condition('narrow')).toEqual([
      `EvictionInProgress=False NoEffect (1): 1 published device selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace ${rest}`,
    ]);
    expect(await condition('other')).toEqual([
      'EvictionInProgress=False OtherEffect (1): Eviction only happens for the NoExecute effect.',
    ]);
    expect(await cluster.events()).toEqual([]);
    await rules().patch('narrow', 'merge', { spec: { taint: { effect: 'NoExecute' } } });
    await cluster.settle();
    expect(await isGoing('one')).toBe(true);
    expect(await isGoing('two')).toBe(false);
  });

  it('are not evicted when the rule is deleted in time', async () => {
    await runPod('p', 'd1', tolerates(30));
    await createRule('evict', 'NoExecute');
    await cluster.advance(20 * s);
    await rules().delete('evict');
    await cluster.settle();
    expect(await cluster.events()).toEqual([cancelling('p')]);
    await cluster.advance(60 * s);
    expect(await isGoing('p')).toBe(false);
  });

  it('are not mistaken for later pods of the same name', async () => {
    await runPod('p', 'd1', tolerates(30));
    await publish(1, [broken('d1')]);
    await pods().delete('p', { gracePeriodSeconds: 0 });
    await pods().create({
      metadata: { name: 'p' },
      spec: {
        nodeName: 'n',
        containers: [{ name: 'c', image: 'i' }],
        resourceClaims: [{ name: 'g', resourceClaimName: 'p' }],
      },
    });
    await cluster.settle();
    await cluster.advance(60 * s);
    expect(await isGoing('p')).toBe(false);
    expect(await cluster.events()).toEqual([]);
  });

  it('are evicted eventually after failures and a restart', async () => {
    let failures = 3;
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'DELETE' && url.includes('/pods/') && failures-- > 0) throw newInternalError(new Error('no'));
    };
    await runPod('p', 'd1');
    await publish(1, [broken('d1')]);
    expect(await isGoing('p')).toBe(false);
    await cluster.stopControllers();
    cluster.startControllers();
    await cluster.settle();
    await cluster.advance(10 * s, 1 * s);
    expect(await isGoing('p')).toBe(true);
    expect(cluster.spy.writes.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
  });
});

it('works with servers without DeviceTaintRules', async () => {
  const cluster = await TestCluster.start({ controllers: [deviceTaintEvictionController] });
  await cluster.settle();
  expect(cluster.spy.requests.some(({ url }) => url.includes('/resourceslices'))).toBe(true);
  expect(cluster.spy.requests.some(({ url }) => url.includes('/devicetaintrules'))).toBe(false);
  expect(cluster.log).toEqual([]);
  await cluster.stop();
});
