import { type ApiError, newConflict, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { MetricsRegistry } from '@coxswain/component-base/metrics';
import { podCondition } from '@coxswain/component-helpers';
import { afterEach, describe, expect, it } from 'vitest';
import { completeConfiguration } from '../src/config/complete-configuration.ts';
import { type SeenRequest, TestCluster } from './test-cluster.ts';

let cluster: TestCluster;
afterEach(() => cluster.stop());

/** Without preemption, which adds to the messages. */
const config = completeConfiguration({ profiles: [{ plugins: { postFilter: { disabled: [{ name: '*' }] } } }] });

const isBinding = ({ method, url }: SeenRequest): boolean => method === 'POST' && url.endsWith('/binding');

describe('a pod that fits', () => {
  it('gets a node, an event and a condition', async () => {
    cluster = await TestCluster.start();
    await cluster.createNode('a');
    await cluster.createPod('web');
    await cluster.settle();
    const pod = await cluster.pod('web');
    expect(pod.spec?.nodeName).toBe('a');
    expect(podCondition(pod, 'PodScheduled')).toMatchObject({ status: 'True' });
    const { items } = await cluster.clients.events.v1.events('default').list();
    expect(items).toMatchObject([
      {
        type: 'Normal',
        reason: 'Scheduled',
        action: 'Binding',
        note: 'Successfully assigned default/web to a',
        reportingController: 'default-scheduler',
        reportingInstance: 'default-scheduler-here',
        regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web', uid: pod.metadata.uid },
      },
    ]);
    expect(cluster.writes).toEqual([{ method: 'POST', url: '/api/v1/namespaces/default/pods/web/binding' }]);
    expect(cluster.log).toEqual([]);
  });

  it('is scheduled to the node with the most free resources', async () => {
    cluster = await TestCluster.start();
    await cluster.createNode('small', { allocatable: { cpu: '1', memory: '1Gi' } });
    await cluster.createNode('large', { allocatable: { cpu: '16', memory: '16Gi' } });
    await cluster.createPod('web', { requests: { cpu: '500m', memory: '512Mi' } });
    await cluster.settle();
    expect(await cluster.placements()).toEqual({ web: 'large' });
  });

  it('is counted on its node before it is bound', async () => {
    cluster = await TestCluster.start({ config });
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    cluster.plan = (request) => (isBinding(request) ? held : undefined);
    await cluster.createNode('a', { allocatable: { cpu: '1' } });
    await cluster.createPod('first', { requests: { cpu: '600m' } });
    await cluster.createPod('second', { requests: { cpu: '600m' } });
    await cluster.until(async () => podCondition(await cluster.pod('second'), 'PodScheduled')?.reason);
    expect(await cluster.placements()).toEqual({ first: undefined, second: undefined });
    release();
    await cluster.settle();
    expect(await cluster.placements()).toEqual({ first: 'a', second: undefined });
  });

  it('is counted by metrics', async () => {
    const metrics = new MetricsRegistry(() => new Date(0));
    cluster = await TestCluster.start({ metrics });
    await cluster.createNode('a');
    await cluster.createPod('web');
    await cluster.settle();
    await cluster.advance(1000);
    const text = metrics.text();
    for (const line of [
      'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1',
      'scheduler_pod_scheduling_attempts_count 1',
      'scheduler_pod_scheduling_sli_duration_seconds_count{attempts="1"} 1',
      'scheduler_framework_extension_point_duration_seconds_count{extension_point="Filter",profile="default-scheduler",status="Success"} 1',
      'scheduler_framework_extension_point_duration_seconds_count{extension_point="Bind",profile="default-scheduler",status="Success"} 1',
      'scheduler_cache_size{type="pods"} 1',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
  });

  it('is ignored when it names another scheduler', async () => {
    cluster = await TestCluster.start();
    await cluster.createNode('a');
    await cluster.createPod('other', { schedulerName: 'somebody-else' });
    await cluster.settle();
    expect(await cluster.placements()).toEqual({ other: undefined });
    expect(cluster.writes).toEqual([]);
  });
});

describe('a pod that does not fit', () => {
  it('gets the message of kube-scheduler', async () => {
    cluster = await TestCluster.start({ config });
    const taints = [{ key: 'k', value: 'v', effect: 'NoSchedule' as const }];
    await cluster.createNode('a', { allocatable: { cpu: '2' } });
    await cluster.createNode('b', { allocatable: { cpu: '4' }, spec: { taints } });
    await cluster.createNode('c', { allocatable: { cpu: '8' }, spec: { unschedulable: true } });
    const nodeNamed = (name: string) => ({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [name] }] }],
        },
      },
    });
    await cluster.createPod('big', { requests: { cpu: '3' } });
    await cluster.createPod('huge', { requests: { cpu: '100' }, tolerations: [{ operator: 'Exists' }] });
    await cluster.createPod('selecting', { nodeSelector: { disk: 'ssd' } });
    await cluster.createPod('missing', { affinity: nodeNamed('nope') });
    await cluster.createPod('tainted', { affinity: nodeNamed('b') });
    await cluster.settle();
    const messages = {
      big: '1 Insufficient cpu, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.',
      huge: '3 Insufficient cpu.',
      selecting:
        "1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.",
      missing: "3 node(s) didn't satisfy plugin(s) [NodeAffinity].",
      tainted: "1 node(s) had untolerated taint(s), 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
    };
    expect(await cluster.events()).toEqual(
      Object.entries(messages).map(
        ([name, message]) => `Warning FailedScheduling Pod/${name}: 0/3 nodes are available: ${message}`,
      ),
    );
    expect(podCondition(await cluster.pod('big'), 'PodScheduled')).toEqual({
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: `0/3 nodes are available: ${messages.big}`,
      observedGeneration: 1,
      lastProbeTime: null,
      lastTransitionTime: new Date(cluster.clock.now()).toISOString().replace('.000', ''),
    });
  });

  it('waits when there are no nodes at all', async () => {
    cluster = await TestCluster.start();
    await cluster.createPod('web');
    await cluster.settle();
    expect(await cluster.events()).toEqual(['Warning FailedScheduling Pod/web: no nodes available to schedule pods']);
    expect(podCondition(await cluster.pod('web'), 'PodScheduled')).toMatchObject({
      reason: 'Unschedulable',
      message: 'no nodes available to schedule pods',
    });
    await cluster.createNode('a');
    await cluster.advance(3000, 1000);
    expect(await cluster.placements()).toEqual({ web: 'a' });
  });

  it('is updated once, however often it is retried in vain', async () => {
    cluster = await TestCluster.start({ config });
    await cluster.createNode('a', { allocatable: { cpu: '1' } });
    await cluster.createPod('big', { requests: { cpu: '3' } });
    await cluster.settle();
    const before = cluster.writes.length;
    for (let i = 0; i < 5; i++) {
      const allocatable = { cpu: '1', memory: '8Gi', pods: String(100 + i) };
      await cluster.clients.core.v1.nodes().patchStatus('a', 'merge', { status: { allocatable } });
      await cluster.advance(12_000);
    }
    expect(before).toBe(1);
    expect(cluster.writes).toHaveLength(1);
  });

  it('is scheduled when a node is added that it fits on', async () => {
    cluster = await TestCluster.start({ config });
    await cluster.createNode('a', { allocatable: { cpu: '1' } });
    await cluster.createPod('big', { requests: { cpu: '3' } });
    await cluster.settle();
    await cluster.createNode('b');
    await cluster.advance(2000, 1000);
    expect(await cluster.placements()).toEqual({ big: 'b' });
    expect(await cluster.events()).toEqual([
      'Warning FailedScheduling Pod/big: 0/1 nodes are available: 1 Insufficient cpu.',
      'Normal Scheduled Pod/big: Successfully assigned default/big to b',
    ]);
  });

  it('gets the place of a deleted pod', async () => {
    cluster = await TestCluster.start({ config });
    await cluster.createNode('a', { allocatable: { cpu: '1' } });
    await cluster.createPod('first', { requests: { cpu: '1' } });
    await cluster.settle();
    await cluster.createPod('second', { requests: { cpu: '1' } });
    await cluster.settle();
    expect(await cluster.placements()).toEqual({ first: 'a', second: undefined });
    await cluster.clients.core.v1.pods('default').delete('first', { gracePeriodSeconds: 0 });
    await cluster.advance(2000, 1000);
    expect(await cluster.placements()).toEqual({ second: 'a' });
  });

  it('is not scheduled while it has scheduling gates', async () => {
    cluster = await TestCluster.start({ config });
    await cluster.createNode('a');
    await cluster.createPod('gated', { schedulingGates: [{ name: 'example.com/wait' }] });
    await cluster.settle();
    expect(await cluster.events()).toEqual([]);
    expect(cluster.writes).toEqual([]);
    await cluster.clients.core.v1.pods('default').patch('gated', 'merge', { spec: { schedulingGates: null } });
    await cluster.settle();
    expect(await cluster.placements()).toEqual({ gated: 'a' });
  });
});

describe('a pod of higher priority', () => {
  it('preempts another, with events for both', async () => {
    cluster = await TestCluster.start();
    await cluster.clients.scheduling.v1.priorityClasses().create({ metadata: { name: 'high' }, value: 1000 });
    await cluster.createNode('a', { allocatable: { cpu: '1' } });
    await cluster.createPod('low', { requests: { cpu: '1' }, terminationGracePeriodSeconds: 0 });
    await cluster.settle();
    const { metadata } = await cluster.createPod('high', { requests: { cpu: '1' }, priorityClassName: 'high' });
    await cluster.settle();
    await cluster.advance(3000, 1000);
    expect(await cluster.placements()).toEqual({ high: 'a' });
    expect((await cluster.events()).sort()).toEqual([
      `Normal Preempted Pod/low: Preempted by pod ${metadata.uid} on node a`,
      'Normal Scheduled Pod/high: Successfully assigned default/high to a',
      'Normal Scheduled Pod/low: Successfully assigned default/low to a',
      'Warning FailedScheduling Pod/high: 0/1 nodes are available: 1 Insufficient cpu.',
    ]);
  });

  it('gets upstream’s short message when a claim is missing', async () => {
    cluster = await TestCluster.start();
    await cluster.createNode('a', { allocatable: { cpu: '1' } });
    await cluster.createPod('early', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'late' } }] });
    await cluster.settle();
    expect(podCondition(await cluster.pod('early'), 'PodScheduled')?.message).toBe(
      '0/1 nodes are available: persistentvolumeclaim "late" not found. not found',
    );
  });

  it('gets a message when preemption does not help', async () => {
    cluster = await TestCluster.start();
    await cluster.createNode('a', { allocatable: { cpu: '1' } });
    await cluster.createPod('big', { requests: { cpu: '3' } });
    await cluster.settle();
    expect(podCondition(await cluster.pod('big'), 'PodScheduled')?.message).toMatch(
      /^0\/1 nodes are available: 1 Insufficient cpu\. .*preemption: 0\/1 nodes are available: 1 Preemption is not helpful for scheduling\.$/,
    );
  });
});

describe('a server that fails', () => {
  const failTimes = (times: number, error: ApiError): void => {
    let left = times;
    cluster.plan = (request) => {
      if (isBinding(request) && left-- > 0) throw error;
    };
  };

  it.each<[string, ApiError]>([
    ['an error', newInternalError(new Error('etcd is away'))],
    ['a conflict', newConflict(GroupResource.of('', 'pods'), 'web', new Error('changed'))],
  ])('when binding, with %s, gets another request', async (_, error) => {
    cluster = await TestCluster.start();
    await cluster.createNode('a');
    failTimes(2, error);
    await cluster.createPod('web');
    await cluster.settle();
    expect(await cluster.placements()).toEqual({ web: undefined });
    const message = `running Bind plugin "DefaultBinder": ${error.message}`;
    expect(podCondition(await cluster.pod('web'), 'PodScheduled')).toMatchObject({ reason: 'SchedulerError', message });
    await cluster.advance(10_000, 500);
    expect(await cluster.placements()).toEqual({ web: 'a' });
    expect(cluster.requests.filter(isBinding)).toHaveLength(3);
  });

  it('when a condition is written gets another request', async () => {
    cluster = await TestCluster.start({ config });
    let left = 2;
    cluster.plan = ({ method }) => {
      if (method === 'PATCH' && left-- > 0) throw newInternalError(new Error('etcd is away'));
    };
    await cluster.createNode('a', { allocatable: { cpu: '1' } });
    await cluster.createPod('big', { requests: { cpu: '3' } });
    await cluster.clock.advance(10_000);
    await cluster.until(async () => {
      await cluster.clock.advance(100);
      return podCondition(await cluster.pod('big'), 'PodScheduled')?.reason === 'Unschedulable';
    });
  });

  it('gets no further request for a pod that has been deleted meanwhile', async () => {
    cluster = await TestCluster.start();
    await cluster.createNode('a');
    let deleted: Promise<unknown> | undefined;
    cluster.plan = async (request) => {
      if (!isBinding(request)) return;
      deleted ??= cluster.clients.core.v1.pods('default').delete('web', { gracePeriodSeconds: 0 });
      await deleted;
    };
    await cluster.createPod('web');
    await cluster.settle();
    await cluster.advance(30_000, 1000);
    expect(cluster.requests.filter(isBinding)).toHaveLength(1);
    // The deleted pod's resources are free again.
    await cluster.createPod('next', { requests: { cpu: '4' } });
    await cluster.settle();
    expect(await cluster.placements()).toEqual({ next: 'a' });
  });
});

describe('a restarted scheduler', () => {
  it('continues where the other stopped', async () => {
    cluster = await TestCluster.start({ config });
    await cluster.createNode('a', { allocatable: { cpu: '1' } });
    await cluster.createPod('first', { requests: { cpu: '600m' } });
    await cluster.createPod('second', { requests: { cpu: '600m' } });
    await cluster.settle();
    await cluster.stopScheduler();
    await cluster.createNode('b', { allocatable: { cpu: '1' } });
    await cluster.createPod('third', { requests: { cpu: '300m' } });
    cluster.startScheduler();
    await cluster.settle();
    const { first, second, third } = await cluster.placements();
    // Existing pods are counted: two of 600m do not fit on one node.
    expect([first, second].sort()).toEqual(['a', 'b']);
    expect(third).toMatch(/^[ab]$/);
  });

  it('writes nothing when there is nothing to do', async () => {
    cluster = await TestCluster.start({ config });
    await cluster.createNode('a', { allocatable: { cpu: '1' } });
    await cluster.createPod('web');
    await cluster.createPod('big', { requests: { cpu: '3' } });
    await cluster.settle();
    await cluster.stopScheduler();
    cluster.requests.length = 0;
    cluster.startScheduler();
    await cluster.settle();
    // Six minutes: longer than the time after which pods are retried without an event.
    await cluster.advance(6 * 60_000, 30_000);
    expect(cluster.writes).toEqual([]);
  });
});
