import { afterAll, beforeAll, describe, it } from 'vitest';
import { findBinary } from '../binaries.ts';
import type { Shell } from '../shell.ts';
import { CoxUp } from './cox-up.ts';
import { events } from './events.ts';
import { FedMetricsServer } from './fed-metrics-server.ts';

const patience = { timeout: 40_000, interval: 300 };

describe.skipIf(!findBinary('kubectl')).concurrent('policies on cox up', () => {
  let cluster: CoxUp;
  let shell: Shell;
  let metrics: FedMetricsServer;
  beforeAll(async () => {
    metrics = await FedMetricsServer.start();
    cluster = await CoxUp.start();
    shell = cluster.shell;
  }, 120_000);
  afterAll(async () => {
    await cluster?.stop();
    await metrics?.stop();
  }, 60_000);

  it('a HorizontalPodAutoscaler follows metrics', async ({ expect }) => {
    const kubectl = (command: string) => shell.run(`kubectl -n busy ${command}`);
    await shell.run('kubectl create namespace busy');
    await shell.run(`kubectl apply -f - <<'E'\n${metrics.manifest}\nE`);
    await shell.run('kubectl wait apiservice/v1beta1.metrics.k8s.io --for=condition=Available --timeout=30s');
    await kubectl(`apply -f - <<'E'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'web:1', resources: {requests: {cpu: 100m}}}]}
E`);
    await kubectl('rollout status deployment/web');
    const pod = await kubectl(`get pods -o jsonpath='{.items[0].metadata.name}'`);
    metrics.cpu.set(`busy/${pod}`, '100m');
    expect(await kubectl(`top pods --no-headers | tr -s ' '`)).toBe(`${pod} 100m 10Mi`);

    await kubectl('autoscale deployment web --min=1 --max=4 --cpu=50%');
    expect(await kubectl(`wait hpa/web --for=jsonpath='{.status.desiredReplicas}'=2 --timeout=38s`)).toBe(
      'horizontalpodautoscaler.autoscaling/web condition met',
    );
    await kubectl('rollout status deployment/web');
    expect(await kubectl('get deployment web --no-headers')).toContain('web   2/2   2   2   ');
    await expect
      .poll(() => events(shell, 'busy', 'HorizontalPodAutoscaler/web'), patience)
      .toEqual([
        'Normal SuccessfulRescale: New size: 2; reason: cpu resource utilization (percentage of request) above target',
      ]);
    const condition = (type: string) =>
      kubectl(`get hpa web -o jsonpath='{.status.conditions[?(@.type=="${type}")].message}'`);
    // The autoscaler checks every fifteen seconds.
    expect(await condition('AbleToScale')).toMatch(
      /^(the HPA controller was able to update the target scale to 2|recommended size matches current size)$/,
    );
    expect(await condition('ScalingActive')).toBe(
      'the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)',
    );
  });

  it('a ResourceQuota is not exceeded', async ({ expect }) => {
    const kubectl = (command: string) => shell.run(`kubectl -n small ${command}`);
    await shell.run('kubectl create namespace small');
    await kubectl('create quota few --hard=pods=2,requests.cpu=1');
    await kubectl(`wait resourcequota/few --for=jsonpath='{.status.hard.pods}'=2`);

    expect(await kubectl('run greedy --image=web:1')).toBe(
      'Error from server (Forbidden): pods "greedy" is forbidden: failed quota: few: must specify requests.cpu for: greedy\n[exit 1]',
    );
    await kubectl(`apply -f - <<'E'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'web:1', resources: {requests: {cpu: 100m}}}]}
E`);
    await kubectl(`wait deployment/web --for=jsonpath='{.status.readyReplicas}'=2`);
    await expect
      .poll(
        () => kubectl(`get deployment web -o jsonpath='{.status.conditions[?(@.type=="ReplicaFailure")].message}'`),
        patience,
      )
      .toMatch(
        /^pods "web-\w+-\w{5}" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2$/,
      );
    const replicaSet = await kubectl(`get replicasets -o jsonpath='{.items[0].metadata.name}'`);
    await expect
      .poll(() => events(shell, 'small', `ReplicaSet/${replicaSet}`), patience)
      .toContain(
        `Warning FailedCreate: Error creating: pods "${replicaSet}-#####" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2`,
      );
    expect(await kubectl(`get quota few -o jsonpath='{.status.used}'`)).toBe('{"pods":"2","requests.cpu":"200m"}');

    // With a higher quota, the third pod is created.
    await kubectl(`patch quota few --type=merge -p '{"spec":{"hard":{"pods":"3"}}}'`);
    expect(await kubectl('rollout status deployment/web --timeout=38s')).toContain('successfully rolled out');
  });

  it('a LimitRange sets defaults, and rejects too large values', async ({ expect }) => {
    const kubectl = (command: string) => shell.run(`kubectl -n limited ${command}`);
    await shell.run('kubectl create namespace limited');
    await kubectl(`apply -f - <<'E'
apiVersion: v1
kind: LimitRange
metadata: {name: fair}
spec: {limits: [{type: Container, max: {cpu: '1'}, default: {cpu: 500m}, defaultRequest: {cpu: 250m}}]}
E`);
    await kubectl('run modest --image=web:1');
    expect(await kubectl('wait pod/modest --for=condition=Ready')).toBe('pod/modest condition met');
    expect(await kubectl(`get pod modest -o jsonpath='{.spec.containers[0].resources} {.status.qosClass}'`)).toBe(
      '{"limits":{"cpu":"500m"},"requests":{"cpu":"250m"}} Burstable',
    );
    expect(await kubectl(`get pod modest -o jsonpath='{.metadata.annotations}'`)).toContain(
      'LimitRanger plugin set: cpu request for container modest; cpu limit for container modest',
    );
    const resources = '{"spec":{"containers":[{"name":"large","image":"c","resources":{"limits":{"cpu":"2"}}}]}}';
    expect(await kubectl(`run large --image=c --overrides='${resources}'`)).toBe(
      'Error from server (Forbidden): pods "large" is forbidden: maximum cpu usage per Container is 1, but limit is 2\n[exit 1]',
    );
  });
});
