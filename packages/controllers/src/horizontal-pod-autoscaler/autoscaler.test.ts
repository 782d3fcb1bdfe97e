import type { HorizontalPodAutoscaler, MetricSpec } from '@coxswain/api/autoscaling/v2';
import { newConflict, newForbidden } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { afterEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { horizontalPodAutoscalerController, newHorizontalPodAutoscalerController } from './index.ts';
import type { MetricsClient } from './metrics-client.ts';

const s = 1000;
let cluster: TestCluster;
afterEach(() => cluster.stop());

/** Returns the metrics that the test sets. */
class TestMetrics implements MetricsClient {
  /** Thousandths, by pod. */
  pods: Record<string, number> = {};
  value: number | undefined;

  async resourceMetric() {
    if (Object.keys(this.pods).length === 0) throw new Error('no metrics returned from resource metrics API');
    const timestamp = cluster.clock.now();
    const entries = Object.entries(this.pods).map(([name, value]) => {
      return [name, { value: BigInt(value), timestamp, windowMs: 30_000 }] as const;
    });
    return new Map(entries);
  }
  podsMetric = () => this.resourceMetric();
  async objectMetric() {
    if (this.value === undefined) throw new Error('no metrics returned from custom metrics API');
    return BigInt(this.value);
  }
  externalMetric = async () => [await this.objectMetric()];
}

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] },
};
const cpu: MetricSpec = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
};
const external: MetricSpec = {
  type: 'External',
  external: { metric: { name: 'queue' }, target: { type: 'Value', value: '10' } },
};

const autoscalers = () => cluster.clients.autoscaling.v2.horizontalPodAutoscalers('default');
const sets = () => cluster.clients.apps.v1.replicaSets('default');
const time = (): string => `${new Date(cluster.clock.now()).toISOString().slice(0, 19)}Z`;

async function createSet(replicas: number, name = 'web'): Promise<void> {
  await sets().create({
    metadata: { name },
    spec: { replicas, selector: { matchLabels: template.metadata.labels }, template },
  });
  await sets().patch(name, 'merge', { status: { replicas } }, { subresource: 'status' });
}

/** Creates pods `p0`, `p1` … that have been running and ready for an hour. */
async function createPods(count: number): Promise<void> {
  const pods = cluster.clients.core.v1.pods('default');
  const startTime = new Date(cluster.clock.now() - 3600 * s).toISOString();
  for (let i = 0; i < count; i++) {
    await pods.create({ metadata: { name: `p${i}`, labels: template.metadata.labels }, spec: template.spec });
    const ready = { type: 'Ready', status: 'True' as const, lastTransitionTime: startTime };
    const status = { phase: 'Running' as const, startTime, conditions: [ready] };
    await pods.patch(`p${i}`, 'merge', { status }, { subresource: 'status' });
  }
}

async function create(
  metrics: MetricSpec[],
  over: Partial<HorizontalPodAutoscaler['spec']> = {},
  name = 'hpa',
): Promise<void> {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' };
  const spec = { scaleTargetRef, minReplicas: 1, maxReplicas: 10, metrics, ...over };
  await autoscalers().create({ metadata: { name }, spec });
  await cluster.settle();
}

const replicas = async (): Promise<number | undefined> => (await sets().get('web')).spec?.replicas;
const status = async (name = 'hpa') => (await autoscalers().get(name)).status;
const conditions = async (name = 'hpa'): Promise<string[]> =>
  ((await status(name))?.conditions ?? []).map(
    ({ type, status: value, reason, message }) => `${type}=${value} ${reason}: ${message}`,
  );

const gotScale = "AbleToScale=True SucceededGetScale: the HPA controller was able to get the target's current scale";
const ready = 'AbleToScale=True ReadyForNewScale: recommended size matches current size';
const inRange = 'ScalingLimited=False DesiredWithinRange: the desired count is within the acceptable range';
const valid = (metric: string): string =>
  `ScalingActive=True ValidMetricFound: the HPA was able to successfully calculate a replica count from ${metric}`;
const cpuName = 'cpu resource utilization (percentage of request)';

describe('autoscaling by metrics', () => {
  let metrics: TestMetrics;
  const start = async (): Promise<void> => {
    metrics = new TestMetrics();
    cluster = await TestCluster.start({ controllers: [newHorizontalPodAutoscalerController({ metrics })] });
    await cluster.settle();
  };

  it('scales up, checks every fifteen seconds, and writes only changes', async () => {
    await start();
    await createSet(3);
    await createPods(3);
    metrics.pods = { p0: 700, p1: 800, p2: 900 };
    await create([cpu]);
    await cluster.advance(14 * s);
    expect(await status()).toMatchObject({ desiredReplicas: 0 });
    await cluster.advance(1 * s);
    expect(await replicas()).toBe(5);
    expect(await status()).toMatchObject({
      currentReplicas: 3,
      desiredReplicas: 5,
      lastScaleTime: time(),
      currentMetrics: [
        { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 80, averageValue: '800m' } } },
      ],
    });
    expect(await conditions()).toEqual([
      'AbleToScale=True SucceededRescale: the HPA controller was able to update the target scale to 5',
      valid(cpuName),
      inRange,
    ]);
    expect(await cluster.events()).toEqual([
      `Normal SuccessfulRescale HorizontalPodAutoscaler/hpa: New size: 5; reason: ${cpuName} above target`,
    ]);
    metrics.pods = { p0: 500, p1: 500, p2: 500 };
    await cluster.advance(15 * s);
    expect(await conditions()).toEqual([ready, valid(cpuName), inRange]);
    cluster.spy.requests.length = 0;
    await cluster.advance(60 * s, 15 * s);
    expect(cluster.spy.writes).toEqual([]);
  }, 60_000);

  it('scales down only after five minutes, and to the minimum at most', async () => {
    await start();
    await createSet(4);
    await createPods(4);
    metrics.pods = { p0: 0, p1: 0, p2: 0, p3: 0 };
    await create([cpu], { minReplicas: 2 });
    await cluster.advance(15 * s);
    expect(await conditions()).toEqual([
      'AbleToScale=True ScaleDownStabilized: recent recommendations were higher than current one, applying the highest recent recommendation',
      valid(cpuName),
      inRange,
    ]);
    await cluster.advance(300 * s, 15 * s);
    expect(await replicas()).toBe(4);
    await cluster.advance(15 * s);
    expect(await replicas()).toBe(2);
    expect(await conditions()).toContain(
      'ScalingLimited=True TooFewReplicas: the desired replica count is less than the minimum replica count',
    );
    expect((await cluster.events()).at(-1)).toBe(
      'Normal SuccessfulRescale HorizontalPodAutoscaler/hpa: New size: 2; reason: All metrics below target',
    );
  });

  it('uses the highest of several metrics, and does not scale down while one is missing', async () => {
    await start();
    await createSet(4);
    await createPods(4);
    metrics.pods = { p0: 500, p1: 500, p2: 500, p3: 500 };
    metrics.value = 20_000;
    const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
    await create([cpu, external], { behavior });
    await cluster.advance(15 * s);
    expect(await replicas()).toBe(8);
    expect((await cluster.events()).at(-1)).toBe(
      'Normal SuccessfulRescale HorizontalPodAutoscaler/hpa: New size: 8; reason: external metric queue(nil) above target',
    );
    expect((await status())?.currentMetrics).toMatchObject([
      { type: 'Resource' },
      { type: 'External', external: { metric: { name: 'queue' }, current: { value: '20' } } },
    ]);
    metrics.value = undefined;
    metrics.pods = { p0: 100, p1: 100, p2: 100, p3: 100 };
    await cluster.advance(15 * s);
    expect(await replicas()).toBe(8);
    const problem = 'unable to get external metric default/queue/nil: no metrics returned from custom metrics API';
    expect(await conditions()).toContain(
      `ScalingActive=False FailedGetExternalMetric: the HPA was unable to compute the replica count: ${problem}`,
    );
    expect((await status())?.currentMetrics).toMatchObject([{ type: 'Resource' }, { type: '' }]);
    expect((await cluster.events()).slice(-2)).toEqual([
      `Warning FailedGetExternalMetric HorizontalPodAutoscaler/hpa: ${problem}`,
      `Warning FailedComputeMetricsReplicas HorizontalPodAutoscaler/hpa: invalid metrics (1 invalid out of 2), first error is: failed to get queue external metric value: failed to get external metric queue: ${problem}`,
    ]);
  });

  it.each([
    [
      'pods',
      { type: 'Pods', pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '500m' } } },
      'pods metric hits',
      { averageValue: '1' },
    ],
    [
      'an object',
      {
        type: 'Object',
        object: {
          metric: { name: 'hits' },
          describedObject: { kind: 'Service', name: 'web' },
          target: { type: 'Value', value: '1' },
        },
      },
      'Service metric hits',
      { value: '2' },
    ],
    [
      'an object, as an average',
      {
        type: 'Object',
        object: {
          metric: { name: 'hits' },
          describedObject: { kind: 'Service', name: 'web' },
          target: { type: 'AverageValue', averageValue: '500m' },
        },
      },
      'external metric hits(nil)',
      { averageValue: '1' },
    ],
    [
      'an external source, as an average',
      {
        type: 'External',
        external: {
          metric: { name: 'hits', selector: { matchLabels: { a: 'b' } } },
          target: { type: 'AverageValue', averageValue: '500m' },
        },
      },
      'external metric hits(&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},})',
      { averageValue: '1' },
    ],
    [
      'a container',
      {
        type: 'ContainerResource',
        containerResource: { name: 'cpu', container: 'c', target: { type: 'Utilization', averageUtilization: 50 } },
      },
      'cpu container resource utilization (percentage of request)',
      { averageUtilization: 100, averageValue: '1' },
    ],
    [
      'memory',
      { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '500m' } } },
      'memory resource',
      { averageValue: '1' },
    ],
  ] as [string, MetricSpec, string, object][])('uses metrics of %s', async (_, metric, name, current) => {
    await start();
    await createSet(2);
    await createPods(2);
    metrics.pods = { p0: 1000, p1: 1000 };
    metrics.value = 2000;
    await create([metric]);
    await cluster.advance(15 * s);
    expect(await replicas()).toBe(4);
    expect(await conditions()).toContain(valid(name));
    const [found] = (await status())?.currentMetrics ?? [];
    expect(Object.values({ ...found }).find((part) => typeof part === 'object')).toMatchObject({ current });
  });

  it('respects its policies', async () => {
    await start();
    await createSet(2);
    await createPods(2);
    metrics.pods = { p0: 1000, p1: 1000 };
    metrics.value = 100_000;
    const policies = [{ type: 'Pods', value: 1, periodSeconds: 60 }];
    await create([external], { behavior: { scaleUp: { policies } } });
    await cluster.advance(15 * s);
    expect(await replicas()).toBe(3);
    expect(await conditions()).toContain(
      'ScalingLimited=True ScaleUpLimit: the desired replica count is increasing faster than the maximum scale rate',
    );
    await cluster.advance(45 * s, 15 * s);
    expect(await replicas()).toBe(3);
    await cluster.advance(15 * s);
    expect(await replicas()).toBe(4);
  });

  it('respects the limits, and does nothing for a target with zero replicas', async () => {
    await start();
    await createSet(12);
    await create([cpu]);
    await cluster.advance(15 * s);
    expect(await replicas()).toBe(10);
    await sets().patch('web', 'merge', { spec: { replicas: 1 } });
    await autoscalers().patch('hpa', 'merge', { spec: { minReplicas: 3 } });
    await cluster.advance(15 * s);
    expect(await replicas()).toBe(3);
    expect(await cluster.events()).toEqual([
      'Normal SuccessfulRescale HorizontalPodAutoscaler/hpa: New size: 10; reason: Current number of replicas above Spec.MaxReplicas',
      'Normal SuccessfulRescale HorizontalPodAutoscaler/hpa: New size: 3; reason: Current number of replicas below Spec.MinReplicas',
    ]);
    await sets().patch('web', 'merge', { spec: { replicas: 0 } });
    await cluster.advance(15 * s);
    expect(await replicas()).toBe(0);
    expect(await conditions()).toEqual([
      gotScale,
      'ScalingActive=False ScalingDisabled: scaling is disabled since the replica count of the target is zero',
    ]);
    expect(await status()).toMatchObject({ desiredReplicas: 0 });
    const before = cluster.spy.writes.length;
    await cluster.advance(60 * s, 15 * s);
    expect(cluster.spy.writes.slice(before)).toEqual([]);
  });

  it('does not scale pods that are selected by two autoscalers', async () => {
    await start();
    await createSet(2);
    await createPods(2);
    metrics.pods = { p0: 1000, p1: 1000 };
    await create([cpu]);
    await create([cpu], {}, 'other');
    await cluster.advance(15 * s);
    await cluster.advance(15 * s);
    const problem = 'pods by selector app=web are controlled by multiple HPAs: [default/hpa default/other]';
    expect(await conditions('other')).toContain(`ScalingActive=False AmbiguousSelector: ${problem}`);
    expect(await cluster.events()).toContain(`Warning AmbiguousSelector HorizontalPodAutoscaler/other: ${problem}`);
    await autoscalers().delete('other');
    const before = await replicas();
    metrics.pods = { p0: 2000, p1: 2000 };
    await cluster.advance(15 * s);
    expect(await replicas()).toBeGreaterThan(before!);
  });

  it('restarts its stabilization windows after a restart', async () => {
    await start();
    await createSet(4);
    await createPods(4);
    metrics.pods = { p0: 0, p1: 0, p2: 0, p3: 0 };
    await create([cpu]);
    await cluster.advance(300 * s, 15 * s);
    await cluster.stopControllers();
    cluster.startControllers();
    await cluster.settle();
    await cluster.advance(300 * s, 15 * s);
    expect(await replicas()).toBe(4);
    await cluster.advance(30 * s, 15 * s);
    expect(await replicas()).toBe(1);
  });

  it('scales even if the status update fails, and retries the update', async () => {
    await start();
    await createSet(12);
    let failures = 1;
    cluster.spy.plan = ({ method, url }) => {
      const isStatus = method === 'PUT' && url.includes('/horizontalpodautoscalers/hpa/status');
      const resource = GroupResource.of('autoscaling', 'horizontalpodautoscalers');
      if (isStatus && failures-- > 0) throw newConflict(resource, 'hpa', new Error('changed'));
    };
    await create([cpu]);
    await cluster.advance(15 * s);
    expect(await replicas()).toBe(10);
    expect((await cluster.events()).at(-1)).toBe(
      'Warning FailedUpdateStatus HorizontalPodAutoscaler/hpa: Operation cannot be fulfilled on horizontalpodautoscalers.autoscaling "hpa": changed',
    );
    await cluster.advance(15 * s);
    expect(await status()).toMatchObject({ currentReplicas: 10 });
  });

  it('retries on conflicts, and reports when scaling is forbidden', async () => {
    await start();
    await createSet(12);
    let conflicts = 2;
    let mayNot = false;
    cluster.spy.plan = ({ method, url }) => {
      if (method !== 'PUT' || !url.includes('/scale')) return;
      const resource = GroupResource.of('apps', 'replicasets');
      if (mayNot) throw newForbidden(resource, 'web', new Error('no'));
      if (conflicts-- > 0) throw newConflict(resource, 'web', new Error('changed'));
    };
    await create([cpu]);
    await cluster.advance(15 * s);
    expect(await replicas()).toBe(10);
    mayNot = true;
    await sets().patch('web', 'merge', { spec: { replicas: 11 } });
    await cluster.advance(15 * s);
    expect(await conditions()).toEqual([
      'AbleToScale=False FailedUpdateScale: the HPA controller was unable to update the target scale: replicasets.apps "web" is forbidden: no',
    ]);
    expect((await cluster.events()).at(-1)).toBe(
      'Warning FailedRescale HorizontalPodAutoscaler/hpa: New size: 10; reason: Current number of replicas above Spec.MaxReplicas; error: replicasets.apps "web" is forbidden: no',
    );
  });
});

describe('without metrics APIs', () => {
  it('reports what is missing for each metric', async () => {
    cluster = await TestCluster.start({ controllers: [horizontalPodAutoscalerController] });
    await createSet(3);
    await createPods(3);
    await create([
      cpu,
      { type: 'Pods', pods: { metric: { name: 'qps' }, target: { type: 'AverageValue', averageValue: '10' } } },
      external,
      {
        type: 'Object',
        object: {
          metric: { name: 'hits' },
          describedObject: { apiVersion: 'v1', kind: 'Service', name: 's' },
          target: { type: 'Value', value: '10' },
        },
      },
    ]);
    await cluster.advance(15 * s);
    const noCpu =
      'failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)';
    expect(await conditions()).toEqual([
      gotScale,
      `ScalingActive=False FailedGetResourceMetric: the HPA was unable to compute the replica count: ${noCpu}`,
    ]);
    expect(await status()).toMatchObject({
      currentReplicas: 3,
      desiredReplicas: 0,
      currentMetrics: [{ type: '' }, { type: '' }, { type: '' }, { type: '' }],
    });
    const hpa = 'HorizontalPodAutoscaler/hpa';
    expect(await cluster.events()).toEqual([
      `Warning FailedGetResourceMetric ${hpa}: ${noCpu}`,
      `Warning FailedGetPodsMetric ${hpa}: unable to get metric qps: unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered`,
      `Warning FailedGetExternalMetric ${hpa}: unable to get external metric default/queue/nil: unable to fetch metrics from external metrics API: the server could not find the requested resource (get queue.external.metrics.k8s.io)`,
      `Warning FailedGetObjectMetric ${hpa}: unable to get metric hits: Service on default s/unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered`,
      `Warning FailedComputeMetricsReplicas ${hpa}: invalid metrics (4 invalid out of 4), first error is: failed to get cpu resource metric value: ${noCpu}`,
    ]);
  }, 60_000);

  it.each([
    ['nope', 'Deployment', 'deployments.apps "nope" not found'],
    ['nope', 'Nope', 'no matches for kind "Nope" in group "apps"'],
  ])('reports that the target %s of kind %s does not exist', async (name, kind, problem) => {
    cluster = await TestCluster.start({ controllers: [horizontalPodAutoscalerController] });
    await create([cpu], { scaleTargetRef: { apiVersion: 'apps/v1', kind, name } });
    await cluster.advance(15 * s);
    expect(await conditions()).toEqual([
      `AbleToScale=False FailedGetScale: the HPA controller was unable to get the target's current scale: ${problem}`,
    ]);
    expect(await cluster.events()).toEqual([`Warning FailedGetScale HorizontalPodAutoscaler/hpa: ${problem}`]);
  });
});
