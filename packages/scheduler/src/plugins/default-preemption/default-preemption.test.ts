import { newInternalError } from '@coxswain/apimachinery/errors';
import { podCondition } from '@coxswain/component-helpers';
import { beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../../test/test-cluster.ts';
import { completeConfiguration } from '../../config/complete-configuration.ts';
import type { PluginDefinition } from '../../framework/handle.ts';
import { Status } from '../../framework/status.ts';

let cluster: TestCluster;

/** DynamicResources is disabled because its PostFilter adds to the messages. */
const config = completeConfiguration({
  profiles: [{ plugins: { postFilter: { disabled: [{ name: 'DynamicResources' }] } } }],
});

const priorities = { low: 10, raised: 20, mid: 500, high: 1000, top: 2000, never: 3000 };
type PriorityName = keyof typeof priorities;

beforeEach(async () => {
  cluster = await TestCluster.start({ config });
  for (const [name, value] of Object.entries(priorities)) {
    const preemptionPolicy = name === 'never' ? 'Never' : 'PreemptLowerPriority';
    await cluster.clients.scheduling.v1.priorityClasses().create({ metadata: { name }, value, preemptionPolicy });
  }
  return () => cluster.stop();
});

const node = (name: string) => cluster.createNode(name, { allocatable: { cpu: '2' } });

async function pod(name: string, priorityClassName: PriorityName, cpu: string, spec: object = {}): Promise<void> {
  await cluster.createPod(name, { priorityClassName, requests: { cpu }, labels: { app: name }, ...spec });
  await cluster.settle();
}

const on = (name: string) => ({ nodeSelector: { 'kubernetes.io/hostname': name } });
const message = async (name: string) => podCondition(await cluster.pod(name), 'PodScheduled')?.message;
const nominated = async (name: string) => (await cluster.pod(name)).status?.nominatedNodeName;
/** Deletes the pod like the kubelet when its containers have ended. */
const end = (name: string) => cluster.clients.core.v1.pods('default').delete(name, { gracePeriodSeconds: 0 });

async function leaving(): Promise<(string | undefined)[]> {
  const { items } = await cluster.clients.core.v1.pods('default').list();
  return items.flatMap(({ metadata }) => (metadata.deletionTimestamp ? [metadata.name] : []));
}

describe('a pod that finds no room', () => {
  it('preempts a pod of lower priority without violating a budget, and gets its place', async () => {
    await node('a');
    await node('b');
    await pod('kept', 'low', '1500m', on('a'));
    await pod('victim', 'low', '1500m', on('b'));
    await cluster.clients.policy.v1
      .podDisruptionBudgets('default')
      .create({ metadata: { name: 'kept' }, spec: { minAvailable: 1, selector: { matchLabels: { app: 'kept' } } } });
    await cluster.settle();
    await pod('high', 'high', '1500m');
    expect(await leaving()).toEqual(['victim']);
    expect(podCondition(await cluster.pod('victim'), 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: 'default-scheduler: preempting to accommodate a higher priority pod',
      observedGeneration: 1,
    });
    expect(await nominated('high')).toBe('b');
    expect(await message('high')).toBe('0/2 nodes are available: 2 Insufficient cpu.');
    const { uid } = (await cluster.pod('high')).metadata;
    const { items } = await cluster.clients.events.v1.events('default').list();
    expect(items.find(({ reason }) => reason === 'Preempted')).toMatchObject({
      type: 'Normal',
      action: 'Preempting',
      note: `Preempted by pod ${uid} on node b`,
      regarding: { kind: 'Pod', name: 'victim' },
      related: { kind: 'Pod', name: 'high', uid },
      reportingController: 'default-scheduler',
    });

    await end('victim');
    await cluster.advance(10_000);
    expect((await cluster.placements()).high).toBe('b');
    expect(cluster.log).toEqual([]);
  });

  it('violates a budget when there is no other way', async () => {
    await node('a');
    await pod('kept', 'low', '1500m');
    await cluster.clients.policy.v1
      .podDisruptionBudgets('default')
      .create({ metadata: { name: 'kept' }, spec: { minAvailable: 1, selector: { matchLabels: { app: 'kept' } } } });
    await cluster.settle();
    await pod('high', 'high', '1500m');
    expect(await leaving()).toEqual(['kept']);
  });

  it('gets a message that explains why preemption is impossible', async () => {
    await node('a');
    await node('b');
    await pod('equal', 'high', '1500m', on('a'));
    await pod('low', 'low', '1500m', on('b'));
    await pod('big', 'high', '3');
    expect(await message('big')).toBe(
      '0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    );
    await pod('never', 'never', '1500m');
    expect(await message('never')).toBe(
      '0/2 nodes are available: 2 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.',
    );
    await pod('choosy', 'high', '1500m', on('a'));
    expect(await message('choosy')).toBe(
      "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node affinity/selector. " +
        'preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.',
    );
    expect(await leaving()).toEqual([]);
  });

  it('waits for its victims to terminate, and preempts no others', async () => {
    await node('a');
    await node('b');
    await pod('victim', 'low', '1500m', on('a'));
    await pod('other', 'mid', '1500m', on('b'));
    await pod('tiny', 'top', '100m', on('a'));
    await pod('high', 'high', '1500m');
    expect(await leaving()).toEqual(['victim']);
    await end('tiny');
    await cluster.advance(10_000);
    expect(await message('high')).toBe(
      '0/2 nodes are available: 2 Insufficient cpu. preemption: not eligible due to a terminating pod on the nominated node.',
    );
    expect(await nominated('high')).toBe('a');
    expect(await leaving()).toEqual(['victim']);
  });

  it('removes the nominations of pods with lower priority', async () => {
    await node('a');
    await pod('low', 'low', '1');
    await pod('raised', 'raised', '900m');
    await pod('mid', 'mid', '1');
    expect(await leaving()).toEqual(['low']);
    expect(await nominated('mid')).toBe('a');
    await pod('top', 'top', '2');
    expect(await leaving()).toEqual(['low', 'raised']);
    expect(await nominated('top')).toBe('a');
    expect(await nominated('mid')).toBeUndefined();
    await end('low');
    await end('raised');
    await cluster.advance(10_000);
    expect(await cluster.placements()).toEqual({ mid: undefined, top: 'a' });
  });
});

describe('a victim that is not bound yet', () => {
  it('goes back into the queue', async () => {
    await cluster.stop();
    const holder: PluginDefinition = {
      name: 'Holder',
      create: () => ({
        name: 'Holder',
        permit: (_, { pod: { metadata } }) =>
          metadata.name === 'held' ? { status: new Status('Wait'), timeoutMs: 600_000 } : undefined,
      }),
    };
    cluster = await TestCluster.start({
      plugins: [holder],
      config: completeConfiguration({
        profiles: [
          {
            plugins: {
              permit: { enabled: [{ name: 'Holder' }] },
              postFilter: { disabled: [{ name: 'DynamicResources' }] },
            },
          },
        ],
      }),
    });
    await cluster.clients.scheduling.v1.priorityClasses().create({ metadata: { name: 'high' }, value: 1000 });
    await node('a');
    await cluster.createPod('held', { requests: { cpu: '1500m' } });
    await cluster.settle();
    await pod('high', 'high', '1500m');
    await cluster.advance(10_000);
    expect(await cluster.placements()).toEqual({ held: undefined, high: 'a' });
    const { uid } = (await cluster.pod('high')).metadata;
    expect(await cluster.events()).toContain(
      `Normal Preempted Pod/held: Preempted by pod ${uid} on node a (in kube-scheduler memory).`,
    );
    expect(await leaving()).toEqual([]);
  });
});

describe('victims that have to be evicted', () => {
  const isDelete = ({ method, url }: { method: string; url: string }) => method === 'DELETE' && url.includes('/pods/');

  it('are all evicted before the pod is retried', async () => {
    await node('a');
    await pod('one', 'low', '900m');
    await pod('two', 'low', '900m');
    await pod('tiny', 'top', '100m');
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    cluster.plan = (request) => (isDelete(request) ? held : undefined);
    await pod('high', 'high', '1900m');
    expect(await nominated('high')).toBe('a');
    await end('tiny');
    await cluster.advance(10_000);
    const attempts = (await cluster.events()).filter((event) => event.startsWith('Warning FailedScheduling Pod/high'));
    expect(attempts).toHaveLength(1);
    release();
    await cluster.settle();
    expect(await leaving()).toEqual(['one', 'two']);
    await end('one');
    await end('two');
    await cluster.advance(10_000);
    expect(await cluster.placements()).toEqual({ high: 'a' });
  });

  it('are evicted in a further attempt when that fails', async () => {
    await node('a');
    await pod('victim', 'low', '1500m');
    let failures = 1;
    cluster.plan = (request) => {
      if (isDelete(request) && failures-- > 0) throw newInternalError(new Error('out of order'));
    };
    await pod('high', 'high', '1500m');
    expect(cluster.log).toEqual([
      expect.stringMatching(
        /^error "Error occurred during async preemption" err=".*out of order.*" preemptor="default\/high" node="a"$/,
      ),
    ]);
    await cluster.advance(10_000);
    expect(await leaving()).toEqual(['victim']);
    expect(await nominated('high')).toBe('a');
  });

  it('may be deleted already', async () => {
    await node('a');
    await pod('victim', 'low', '1500m');
    cluster.plan = async (request) => {
      if (isDelete(request)) await end('victim');
    };
    await pod('high', 'high', '1500m');
    await cluster.advance(10_000);
    expect(await cluster.placements()).toEqual({ high: 'a' });
    expect(cluster.log).toEqual([]);
  });
});
