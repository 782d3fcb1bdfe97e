import type { Node } from '@coxswain/api/core/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNodes } from './test-nodes.ts';

let nodes: TestNodes;
beforeAll(async () => {
  nodes = await TestNodes.start([
    {
      name: 'n1',
      labels: { zone: 'a' },
      taints: [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }],
      capacity: { cpu: '8', 'example.com/gpu': '2' },
      allocatable: { cpu: '7' },
      providerID: 'hollow://n1',
      architecture: 'arm64',
    },
    { name: 'n2' },
  ]);
});
afterAll(() => nodes.stop());

const get = (name: string): Promise<Node> => nodes.clients.core.v1.nodes().get(name);
const leases = () => nodes.clients.coordination.v1.leases('kube-node-lease');
const statusWrites = (): number =>
  nodes.spy.requests.filter((request) => request.startsWith('PATCH') && request.includes('/nodes/n1/status')).length;

describe('a node', () => {
  it('registers with its labels, taints, resources, addresses and conditions', async () => {
    const node = await get('n1');
    expect(node.metadata).toMatchObject({
      labels: {
        'beta.kubernetes.io/arch': 'arm64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'arm64',
        'kubernetes.io/hostname': 'n1',
        'kubernetes.io/os': 'linux',
        zone: 'a',
      },
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    });
    expect(node.spec).toEqual({
      providerID: 'hollow://n1',
      taints: [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }],
    });
    const at = '2026-01-01T00:00:00Z';
    const condition = (type: string, status: string, reason: string, message: string) => ({
      ...{ type, status, reason, message },
      lastHeartbeatTime: at,
      lastTransitionTime: at,
    });
    expect(node.status).toMatchObject({
      capacity: { cpu: '8', memory: '16Gi', pods: '110', 'ephemeral-storage': '100Gi', 'example.com/gpu': '2' },
      allocatable: { cpu: '7', memory: '16Gi', pods: '110', 'ephemeral-storage': '100Gi', 'example.com/gpu': '2' },
      // The scheduler places pods that use these features only on nodes that declare them.
      declaredFeatures: [
        'ExtendWebSocketsToKubelet',
        'InPlacePodLevelResourcesVerticalScaling',
        'InPlacePodVerticalScalingInitContainers',
        'RestartAllContainersOnContainerExits',
      ],
      features: { supplementalGroupsPolicy: true },
      addresses: [
        { type: 'InternalIP', address: '172.18.0.2' },
        { type: 'Hostname', address: 'n1' },
      ],
      conditions: [
        condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
        condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
        condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
        condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
      ],
      nodeInfo: { kubeletVersion: 'v1.36.4', containerRuntimeVersion: 'hollow://1.0.0', architecture: 'arm64' },
    });
    expect(await nodes.events('n1')).toEqual([
      'Starting: Starting kubelet.',
      'NodeHasSufficientMemory: Node n1 status is now: NodeHasSufficientMemory',
      'NodeHasNoDiskPressure: Node n1 status is now: NodeHasNoDiskPressure',
      'NodeHasSufficientPID: Node n1 status is now: NodeHasSufficientPID',
    ]);
  });

  it('renews its lease every ten seconds', async () => {
    const { uid } = (await get('n1')).metadata;
    expect(await leases().get('n1')).toMatchObject({
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid }] },
      spec: { holderIdentity: 'n1', leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.000000Z' },
    });
    await nodes.advance(10_000);
    expect((await leases().get('n1')).spec?.renewTime).toBe('2026-01-01T00:00:10.000000Z');
    await leases().delete('n1');
    await nodes.advance(10_000);
    expect((await leases().get('n1')).spec?.renewTime).toBe('2026-01-01T00:00:20.000000Z');
  });

  it('reports its status every five minutes, and changes within ten seconds', async () => {
    const before = statusWrites();
    await nodes.advance(120_000, 10_000);
    expect(statusWrites() - before).toBe(0);
    // After a change, the next report is due after 0.5 to 1.5 times the period, at random.
    await nodes.advance(20_000, 10_000);
    expect(statusWrites() - before).toBe(1);
    await nodes.advance(280_000, 10_000);
    expect(statusWrites() - before).toBe(1);
    await nodes.advance(10_000);
    expect(statusWrites() - before).toBe(2);
    await nodes.createPod({
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'registry.example/i:1' }] },
    });
    await nodes.advance(10_000);
    expect(statusWrites() - before).toBe(3);
    expect((await get('n1')).status?.images).toEqual([
      { names: [expect.stringMatching(/^registry.example\/i@sha256:/), 'registry.example/i:1'], sizeBytes: 1_000_000 },
    ]);
  });

  it('gives pods addresses of its pod CIDR', async () => {
    await nodes.clients.core.v1
      .nodes()
      .patch('n1', 'merge', { spec: { podCIDR: '192.168.7.0/24', podCIDRs: ['192.168.7.0/24'] } });
    await nodes.settle();
    const pod = await nodes.createPod({
      metadata: { name: 'ranged' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    expect(pod.status?.podIP).toBe('192.168.7.2');
  });

  it('records events within ten seconds after it was cordoned and uncordoned', async () => {
    for (const unschedulable of [true, false]) {
      await nodes.clients.core.v1.nodes().patch('n1', 'merge', { spec: { unschedulable } });
      await nodes.settle();
      await nodes.advance(10_000);
    }
    expect((await nodes.events('n1')).slice(-2)).toEqual([
      'NodeNotSchedulable: Node n1 status is now: NodeNotSchedulable',
      'NodeSchedulable: Node n1 status is now: NodeSchedulable',
    ]);
  });

  it('overwrites conditions that another client has changed', async () => {
    const conditions = [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: 'gone?' }];
    await nodes.clients.core.v1
      .nodes()
      .patch('n1', 'strategic-merge', { status: { conditions } }, { subresource: 'status' });
    await nodes.advance(10_000);
    expect((await get('n1')).status?.conditions?.at(-1)).toMatchObject({ type: 'Ready', status: 'True' });
    expect(await nodes.events('n1')).toContain('NodeReady: Node n1 status is now: NodeReady');
  });

  it('keeps extended resources that others have set, until its kubelet is restarted', async () => {
    const resource = 'scheduling.example/foo';
    const say = async (has: string | null): Promise<void> => {
      const status = { capacity: { [resource]: has } };
      await nodes.clients.core.v1.nodes().patch('n1', 'merge', { status }, { subresource: 'status' });
      await nodes.settle();
      await nodes.advance(20_000, 10_000);
    };
    const told = async (): Promise<(string | undefined)[]> => {
      const { capacity, allocatable } = (await get('n1')).status!;
      return [capacity?.[resource], allocatable?.[resource], capacity?.cpu, allocatable?.cpu];
    };
    await say('5');
    expect(await told()).toEqual(['5', '5', '8', '7']);
    await nodes.advance(320_000, 10_000);
    expect(await told()).toEqual(['5', '5', '8', '7']);
    await nodes.stopNodes();
    await nodes.startNodes();
    expect(await told()).toEqual(['0', '0', '8', '7']);
    await say('3');
    expect(await told()).toEqual(['3', '3', '8', '7']);
    await say(null);
    expect(await told()).toEqual([undefined, undefined, '8', '7']);
  });

  it('registers again when it is deleted', async () => {
    const { uid } = (await get('n2')).metadata;
    await nodes.clients.core.v1.nodes().delete('n2');
    await nodes.advance(10_000);
    const node = await get('n2');
    expect(node.metadata.uid).not.toBe(uid);
    expect(node.status?.conditions?.at(-1)).toMatchObject({ type: 'Ready', status: 'True' });
  });

  it('neither reports nor runs pods while its annotation makes it fail', async () => {
    const say = (failed: string | null) =>
      nodes.clients.core.v1
        .nodes()
        .patch('n2', 'merge', { metadata: { annotations: { 'hollow.coxswain.dev/failed': failed } } });
    const renewed = async (): Promise<unknown> => (await leases().get('n2')).spec?.renewTime;
    const pod = { metadata: { name: 'lost' }, spec: { nodeName: 'n2', containers: [{ name: 'c', image: 'i' }] } };
    await nodes.clients.core.v1.pods('default').create(pod);
    await nodes.settle();
    const { status: before } = await nodes.pod('lost');
    expect(before).toMatchObject({ phase: 'Running', containerStatuses: [{ restartCount: 0 }] });

    await say('true');
    await nodes.settle();
    const last = await renewed();
    await nodes.advance(60_000);
    expect(await renewed()).toBe(last);
    expect(nodes.fleet.dialer('n2')).toBeUndefined();
    await nodes.clients.core.v1.pods('default').create({ ...pod, metadata: { name: 'waits' } });
    await nodes.settle();
    expect((await nodes.pod('waits')).status?.phase).toBe('Pending');

    await say(null);
    await nodes.advance(10_000);
    expect(await renewed()).not.toBe(last);
    expect(nodes.fleet.dialer('n2')).toBeDefined();
    expect((await nodes.pod('waits')).status?.phase).toBe('Running');
    expect((await nodes.pod('lost')).status?.containerStatuses?.[0]?.restartCount).toBe(1);
  });

  it('terminates its pods and rejects new ones when it shuts down', async () => {
    const pod = { metadata: { name: 'shut' }, spec: { nodeName: 'n2', containers: [{ name: 'c', image: 'i' }] } };
    await nodes.clients.core.v1.pods('default').create(pod);
    await nodes.settle();
    await nodes.fleet.kubelets[1]!.shutDown(30, new AbortController().signal);
    await nodes.settle();
    const message = 'Pod was terminated in response to imminent node shutdown.';
    const { status } = await nodes.pod('shut');
    expect(status).toMatchObject({ phase: 'Failed', reason: 'Terminated', message });
    expect(status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'TerminationByKubelet',
      message,
    });
    expect((await get('n2')).status?.conditions?.at(-1)).toMatchObject({
      type: 'Ready',
      status: 'False',
      reason: 'KubeletNotReady',
      message: 'node is shutting down',
    });
    await nodes.clients.core.v1.pods('default').create({ ...pod, metadata: { name: 'late' } });
    await nodes.settle();
    expect((await nodes.pod('late')).status).toMatchObject({
      phase: 'Failed',
      reason: 'NodeShutdown',
      message: 'Pod was rejected: Pod was rejected as the node is shutting down.',
    });
  });
});
