import type { Pod } from '@coxswain/api/core/v1';
import type {
  Device,
  DeviceRequest,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceSlice,
} from '@coxswain/api/resource/v1';
import { newConflict, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { podCondition } from '@coxswain/component-helpers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completeConfiguration } from '../src/config/complete-configuration.ts';
import { type SeenRequest, TestCluster } from './test-cluster.ts';

const driver = 'gpu.example.com';

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await TestCluster.start();
  await cluster.createNode('a');
  await cluster.createNode('b');
});
afterEach(() => cluster.stop());

const device = (name: string, more: Partial<Device> = {}): Device => ({
  name,
  attributes: { model: { string: 'a100' } },
  ...more,
});

async function createSlice(spec: Partial<ResourceSlice['spec']> & { readonly devices: Device[] }): Promise<void> {
  const { nodeName } = spec;
  const pool = { name: nodeName ?? 'shared', generation: 1, resourceSliceCount: 1 };
  await cluster.clients.resource.v1
    .resourceSlices()
    .create({ metadata: { name: `slice-of-${pool.name}` }, spec: { driver, pool, ...spec } });
  await cluster.settle();
}

async function createClass(extendedResourceName?: string): Promise<void> {
  const selectors = [{ cel: { expression: `device.driver == "${driver}"` } }];
  await cluster.clients.resource.v1.deviceClasses().create({
    metadata: { name: 'gpu' },
    spec: { selectors, ...(extendedResourceName && { extendedResourceName }) },
  });
  await cluster.settle();
}

const exactly = (more: Partial<ExactDeviceRequest> = {}): DeviceRequest => ({
  name: 'gpu',
  exactly: { deviceClassName: 'gpu', ...more },
});

async function createClaim(name: string, ...requests: DeviceRequest[]): Promise<ResourceClaim> {
  const claim = await claims().create({ metadata: { name }, spec: { devices: { requests } } });
  await cluster.settle();
  return claim;
}

const claims = () => cluster.clients.resource.v1.resourceClaims('default');

const createPod = (name: string, claimName = name, spec: Partial<NonNullable<Pod['spec']>> = {}): Promise<Pod> =>
  cluster.createPod(name, { resourceClaims: [{ name: 'x', resourceClaimName: claimName }], ...spec });

/** Resolves when the scheduler has selected a node for the pod, or has rejected it. */
async function attempted(name: string): Promise<Pod> {
  const pod = await cluster.until(async () => {
    const current = await cluster.pod(name);
    return podCondition(current, 'PodScheduled') && current;
  });
  await cluster.settle();
  return pod;
}

const isStatusOfClaim = ({ method, url }: SeenRequest): boolean =>
  method === 'PUT' && /\/resourceclaims\/[^/]+\/status$/.test(url);

describe('a pod with a claim', () => {
  it('is scheduled to a node with devices, which are then allocated to the claim', async () => {
    await createClass();
    await createSlice({ nodeName: 'b', devices: [device('gpu-0'), device('gpu-1')] });
    await createClaim('one', exactly());
    const pod = await createPod('one');
    expect(podCondition(await attempted('one'), 'PodScheduled')).toMatchObject({ status: 'True' });
    expect(await cluster.placements()).toEqual({ one: 'b' });
    const claim = await claims().get('one');
    expect(claim.metadata.finalizers).toEqual(['resource.kubernetes.io/delete-protection']);
    expect(claim.status).toEqual({
      allocation: {
        allocationTimestamp: expect.any(String),
        devices: { results: [{ request: 'gpu', driver, pool: 'b', device: 'gpu-0' }] },
        nodeSelector: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }],
        },
      },
      reservedFor: [{ resource: 'pods', name: 'one', uid: pod.metadata.uid }],
    });
    expect(await cluster.events()).toEqual(['Normal Scheduled Pod/one: Successfully assigned default/one to b']);
    expect(cluster.log).toEqual([]);
  });

  it('waits while there are too few devices, with the message of kube-scheduler', async () => {
    await createClass();
    await createSlice({ nodeName: 'b', devices: [device('gpu-0')] });
    await createClaim('three', exactly({ count: 3 }));
    await createPod('three');
    expect(podCondition(await attempted('three'), 'PodScheduled')?.message).toBe(
      '0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    );
    await createSlice({ nodeName: 'a', devices: ['x', 'y', 'z'].map((name) => device(name)) });
    await cluster.advance(1000);
    expect(await cluster.placements()).toEqual({ three: 'a' });
  });

  it('waits for its class', async () => {
    await createSlice({ nodeName: 'a', devices: [device('gpu-0')] });
    await createClaim('one', exactly());
    await createPod('one');
    expect(podCondition(await attempted('one'), 'PodScheduled')?.message).toBe(
      '0/2 nodes are available: request gpu: device class gpu does not exist. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    );
    await createClass();
    await cluster.advance(1000);
    expect(await cluster.placements()).toEqual({ one: 'a' });
  });

  it('is gated until the claim exists', async () => {
    await createClass();
    await createSlice({ nodeName: 'a', devices: [device('gpu-0')] });
    await createPod('one');
    await cluster.settle();
    expect(await cluster.events()).toEqual([]);
    await createClaim('one', exactly());
    await attempted('one');
    expect(await cluster.placements()).toEqual({ one: 'a' });
  });

  it('fails with an expression that throws an error', async () => {
    await createClass();
    await createSlice({ nodeName: 'a', devices: [device('gpu-0')] });
    const expression = `device.attributes["${driver}"].nothing == 1`;
    await createClaim('bad', exactly({ selectors: [{ cel: { expression } }] }));
    await createPod('bad');
    expect(podCondition(await attempted('bad'), 'PodScheduled')).toMatchObject({
      reason: 'SchedulerError',
      message:
        'running "DynamicResources" filter plugin: claim default/bad: selector #0: CEL runtime error: no such key: nothing',
    });
  });

  it('gets the first alternative, on whichever node it is', async () => {
    await createClass();
    await createSlice({ nodeName: 'a', devices: [device('old', { attributes: { model: { string: 't4' } } })] });
    await createSlice({ nodeName: 'b', devices: [device('new', { attributes: { model: { string: 'h100' } } })] });
    const option = (model: string) => ({
      name: model,
      deviceClassName: 'gpu',
      selectors: [{ cel: { expression: `device.attributes["${driver}"].model == "${model}"` } }],
    });
    await createClaim('any', { name: 'gpu', firstAvailable: [option('h100'), option('t4')] });
    await createPod('any');
    await attempted('any');
    expect(await cluster.placements()).toEqual({ any: 'b' });
    expect((await claims().get('any')).status?.allocation?.devices?.results?.[0]?.request).toBe('gpu/h100');
  });
});

describe('devices', () => {
  it('are allocated only once, even before the claim is written', async () => {
    await createClass();
    await createSlice({ nodeName: 'a', devices: [device('gpu-0')] });
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    cluster.plan = (request) => (isStatusOfClaim(request) ? held : undefined);
    await createClaim('first', exactly());
    await createClaim('second', exactly());
    await createPod('first');
    await cluster.until(async () => cluster.requests.some(isStatusOfClaim));
    await createPod('second');
    await cluster.until(async () => podCondition(await cluster.pod('second'), 'PodScheduled')?.message);
    release();
    await cluster.until(async () => (await cluster.pod('first')).spec?.nodeName);
    await cluster.settle();
    expect(await cluster.placements()).toEqual({ first: 'a', second: undefined });
    await cluster.clients.core.v1.pods('default').delete('first', { gracePeriodSeconds: 0 });
    const { metadata, spec } = await claims().get('first');
    await claims().updateStatus({ metadata, spec });
    await cluster.advance(2000);
    expect(await cluster.placements()).toEqual({ second: 'a' });
  });

  it('can be shared by the pods of one claim', async () => {
    await createClass();
    await createSlice({ nodeName: 'a', devices: [device('gpu-0')] });
    await createClaim('shared', exactly());
    await createPod('first', 'shared');
    await createPod('second', 'shared');
    await attempted('first');
    await attempted('second');
    await cluster.advance(2000);
    expect(await cluster.placements()).toEqual({ first: 'a', second: 'a' });
    expect((await claims().get('shared')).status?.reservedFor?.map(({ name }) => name).sort()).toEqual([
      'first',
      'second',
    ]);
  });

  it('can be shared by several claims until their capacity is used up', async () => {
    await createClass();
    const part = device('big', {
      allowMultipleAllocations: true,
      capacity: {
        memory: { value: '8Gi', requestPolicy: { default: '1Gi', validRange: { min: '1Gi', step: '1Gi' } } },
      },
    });
    await createSlice({ nodeName: 'a', devices: [part] });
    for (const name of ['first', 'second', 'third']) {
      await createClaim(name, exactly({ capacity: { requests: { memory: '2500Mi' } } }));
      await createPod(name);
      await attempted(name);
    }
    expect(await cluster.placements()).toEqual({ first: 'a', second: 'a', third: undefined });
    expect((await claims().get('second')).status?.allocation?.devices?.results).toMatchObject([
      { device: 'big', consumedCapacity: { memory: '3Gi' }, shareID: expect.any(String) },
    ]);
  });

  it('stay allocated when the scheduler restarts', async () => {
    await createClass();
    await createSlice({ nodeName: 'a', devices: [device('gpu-0'), device('gpu-1')] });
    await createClaim('first', exactly());
    await createPod('first');
    await attempted('first');
    await cluster.stopScheduler();
    cluster.startScheduler();
    await createClaim('second', exactly());
    await createPod('second');
    await attempted('second');
    expect((await claims().get('second')).status?.allocation?.devices?.results).toMatchObject([{ device: 'gpu-1' }]);
  });

  it('of a claim are deallocated when only another node can use them', async () => {
    await createClass();
    await createSlice({ nodeName: 'a', devices: [device('gpu-0')] });
    await createSlice({ nodeName: 'b', devices: [device('gpu-0')] });
    const { metadata, spec } = await createClaim('moving', exactly());
    const values = ['a'];
    await claims().updateStatus({
      metadata: (
        await claims().update({
          metadata: { ...metadata, finalizers: ['resource.kubernetes.io/delete-protection'] },
          spec,
        })
      ).metadata,
      spec,
      status: {
        allocation: {
          devices: { results: [{ request: 'gpu', driver, pool: 'a', device: 'gpu-0' }] },
          nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values }] }] },
        },
      },
    });
    await cluster.settle();
    await createPod('moving', 'moving', { nodeSelector: { 'kubernetes.io/hostname': 'b' } });
    await attempted('moving');
    await cluster.advance(2000);
    expect((await cluster.events())[0]).toContain(
      "1 node(s) didn't match Pod's node affinity/selector, 1 resourceclaim not available on the node. deallocation of ResourceClaim completed",
    );
    expect(await cluster.placements()).toEqual({ moving: 'b' });
    expect((await claims().get('moving')).status?.allocation?.devices?.results).toMatchObject([{ pool: 'b' }]);
  });

  it('are released when the pod cannot be bound', async () => {
    await createClass();
    await createSlice({ nodeName: 'a', devices: [device('gpu-0')] });
    await createClaim('one', exactly());
    let failures = 0;
    cluster.plan = ({ method, url }) => {
      if (method === 'POST' && url.endsWith('/binding') && failures++ === 0) throw newInternalError(new Error('no'));
    };
    await createPod('one');
    await attempted('one');
    await cluster.until(async () => (await claims().get('one')).status?.reservedFor === undefined);
    await cluster.advance(2000);
    expect(await cluster.placements()).toEqual({ one: 'a' });
    expect((await claims().get('one')).status?.reservedFor).toHaveLength(1);
  });

  it('are allocated despite a conflicting write of the claim', async () => {
    await createClass();
    await createSlice({ nodeName: 'a', devices: [device('gpu-0')] });
    await createClaim('one', exactly());
    let conflicts = 0;
    cluster.plan = (request) => {
      if (!isStatusOfClaim(request) || conflicts++ > 0) return;
      throw newConflict(GroupResource.of('resource.k8s.io', 'resourceclaims'), 'one', new Error('changed'));
    };
    await createPod('one');
    await cluster.until(async () => conflicts > 0);
    await cluster.advance(100);
    await attempted('one');
    expect(conflicts).toBe(2);
    expect(await cluster.placements()).toEqual({ one: 'a' });
    expect(await cluster.events()).toEqual(['Normal Scheduled Pod/one: Successfully assigned default/one to a']);
  });

  it('are waited for until their binding conditions are true, and can fail', async () => {
    await createClass();
    const prepared = { bindsToNode: true, bindingConditions: ['Attached'], bindingFailureConditions: ['Broken'] };
    await createSlice({ allNodes: true, devices: [device('f-0', prepared)] });
    await createClaim('fab', exactly());
    await createPod('fab');
    const allocated = await cluster.until(async () => {
      const claim = await claims().get('fab');
      return claim.status?.reservedFor && claim;
    });
    const tell = async (type: string): Promise<void> => {
      const lastTransitionTime = '2026-01-01T00:00:00Z';
      const condition = { type, status: 'True' as const, reason: 'Oops', message: 'it "broke"', lastTransitionTime };
      const devices = [{ driver, pool: 'shared', device: 'f-0', conditions: [condition] }];
      const { metadata, spec, status } = await claims().get('fab');
      await claims().updateStatus({ metadata, spec, status: { ...status, devices } });
      await cluster.settle();
    };
    expect(allocated.status?.allocation?.devices?.results).toMatchObject([{ bindingConditions: ['Attached'] }]);
    await tell('Broken');
    await cluster.advance(5000);
    expect(await cluster.events()).toEqual([
      expect.stringMatching(
        /^Normal BindingConditionsPending Pod\/fab: waiting for binding conditions for device on node [ab]$/,
      ),
      'Warning FailedScheduling Pod/fab: running PreBind plugin "DynamicResources": device binding failed: claim=fab, reason=Oops, message="it \\"broke\\""',
    ]);
    await cluster.advance(3000);
    await cluster.until(async () => (await claims().get('fab')).status?.devices === undefined);
    await cluster.advance(5000);
    await tell('Attached');
    await cluster.advance(5000);
    await cluster.until(async () => (await cluster.pod('fab')).spec?.nodeName);
  });

  it('whose binding conditions do not become true in time are released', async () => {
    await cluster.stop();
    const pluginConfig = [{ name: 'DynamicResources', args: { bindingTimeout: '10s' } }];
    cluster = await TestCluster.start({ config: completeConfiguration({ profiles: [{ pluginConfig }] }) });
    await cluster.createNode('a');
    await createClass();
    const conditions = { bindingConditions: ['Attached'], bindingFailureConditions: ['Broken'] };
    await createSlice({ allNodes: true, devices: [device('slow', conditions)] });
    await createClaim('one', exactly());
    await createPod('one');
    await cluster.until(async () => (await claims().get('one')).status?.reservedFor);
    await createSlice({ nodeName: 'a', devices: [device('ready')] });
    await cluster.advance(10_000, 5000);
    await cluster.until(async () => (await cluster.events()).length > 1);
    expect((await cluster.events())[1]).toBe(
      'Warning FailedScheduling Pod/one: running PreBind plugin "DynamicResources": device binding timeout: context deadline exceeded',
    );
    await cluster.advance(20_000, 1000);
    expect(await cluster.placements()).toEqual({ one: 'a' });
    expect((await claims().get('one')).status?.allocation?.devices?.results).toMatchObject([{ device: 'ready' }]);
  });
});

describe('an extended resource provided by devices', () => {
  const resources = { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } };
  const createExtended = (name: string): Promise<Pod> =>
    cluster.clients.core.v1.pods('default').create({
      metadata: { name },
      spec: { containers: [{ name: 'main', image: 'registry.example/main:1', resources }] },
    });

  it('is allocated by a claim that is generated for the pod', async () => {
    await createClass('example.com/gpu');
    await createSlice({ nodeName: 'b', devices: [device('gpu-0')] });
    const { metadata } = await createExtended('ext');
    const pod = await attempted('ext');
    expect(await cluster.placements()).toEqual({ ext: 'b' });
    const [claim] = (await claims().list()).items;
    expect(claim).toMatchObject({
      metadata: {
        generateName: 'ext-extended-resources-',
        annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'ext', uid: metadata.uid, controller: true }],
      },
      spec: {
        devices: { requests: [{ name: 'container-0-request-0', exactly: { deviceClassName: 'gpu', count: 1 } }] },
      },
      status: { reservedFor: [{ resource: 'pods', name: 'ext', uid: metadata.uid }] },
    });
    expect(pod.status?.extendedResourceClaimStatus).toEqual({
      requestMappings: [
        { containerName: 'main', requestName: 'container-0-request-0', resourceName: 'example.com/gpu' },
      ],
      resourceClaimName: claim?.metadata.name,
    });
    await createExtended('more');
    expect(podCondition(await attempted('more'), 'PodScheduled')?.message).toContain('2 cannot allocate all claims');
  });

  it('is allocated anew after an aborted attempt', async () => {
    await createClass('example.com/gpu');
    await createSlice({ nodeName: 'b', devices: [device('gpu-0')] });
    await cluster.stopScheduler();
    const { metadata } = await createExtended('ext');
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'ext', uid: metadata.uid!, controller: true };
    const left = await claims().create({
      metadata: {
        name: 'left',
        finalizers: ['resource.kubernetes.io/delete-protection'],
        annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
        ownerReferences: [owner],
      },
      spec: { devices: { requests: [{ name: 'container-0-request-0', exactly: { deviceClassName: 'gpu' } }] } },
    });
    cluster.startScheduler();
    expect(podCondition(await attempted('ext'), 'PodScheduled')?.message).toBe(
      '0/2 nodes are available: 2 cannot schedule extended resource claim. deletion of ResourceClaim completed, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    );
    // No plug-in registers for deleted claims, so as upstream the pod is retried only when it has waited for long
    // enough.
    await cluster.advance(360_000, 30_000);
    expect(await cluster.placements()).toEqual({ ext: 'b' });
    const { items } = await claims().list();
    expect(items).toHaveLength(1);
    expect(items[0]?.metadata.uid).not.toBe(left.metadata.uid);
  });

  it('needs no claim on a node with a device plug-in for it', async () => {
    await createClass('example.com/gpu');
    await cluster.createNode('c', { allocatable: { 'example.com/gpu': '2' } });
    await createExtended('ext');
    await attempted('ext');
    expect(await cluster.placements()).toEqual({ ext: 'c' });
    expect((await claims().list()).items).toEqual([]);
  });

  it('loses its claim when the pod cannot be bound', async () => {
    await createClass('example.com/gpu');
    await createSlice({ nodeName: 'b', devices: [device('gpu-0')] });
    let failures = 0;
    cluster.plan = ({ method, url }) => {
      if (method === 'POST' && url.endsWith('/binding') && failures++ === 0) throw newInternalError(new Error('no'));
    };
    await createExtended('ext');
    await cluster.until(async () => failures > 0);
    await cluster.until(async () => (await claims().list()).items.length === 0);
    await cluster.advance(10_000, 1000);
    expect(await cluster.placements()).toEqual({ ext: 'b' });
    expect((await claims().list()).items).toHaveLength(1);
  });
});

describe('another profile', () => {
  it('does not allocate the same device', async () => {
    await cluster.stop();
    const config = completeConfiguration({
      profiles: [{ schedulerName: 'default-scheduler' }, { schedulerName: 'x' }],
    });
    cluster = await TestCluster.start({ config });
    await cluster.createNode('a');
    await createClass();
    await createSlice({ nodeName: 'a', devices: [device('gpu-0'), device('gpu-1')] });
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    cluster.plan = (request) => (isStatusOfClaim(request) ? held : undefined);
    await createClaim('first', exactly());
    await createClaim('second', exactly());
    await createPod('first');
    await createPod('second', 'second', { schedulerName: 'x' });
    await cluster.until(async () => cluster.requests.filter(isStatusOfClaim).length === 2);
    release();
    await attempted('first');
    await attempted('second');
    const given = await Promise.all(['first', 'second'].map((name) => claims().get(name)));
    expect(given.map(({ status }) => status?.allocation?.devices?.results?.[0]?.device).sort()).toEqual([
      'gpu-0',
      'gpu-1',
    ]);
  });
});
