import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '@coxswain/api/core/v1';
import { isForbidden, isNotFound, newConflict, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { ClientSet, newTransport, RESTClient, SharedInformerFactory } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { afterEach, describe, expect, it } from 'vitest';
import { type StartClusterOptions, startCluster, type TestCluster, UntilTimeoutError } from '../src/index.ts';

const clusters: TestCluster[] = [];
afterEach(async () => {
  await Promise.all(clusters.splice(0).map((cluster) => cluster.stop()));
});

async function start(options?: StartClusterOptions): Promise<TestCluster> {
  const cluster = await startCluster({ freezeCaches: true, ...options });
  clusters.push(cluster);
  return cluster;
}

const template = (labels: Record<string, string>, annotations: Record<string, string> = {}) => ({
  metadata: { labels, annotations },
  spec: { containers: [{ name: 'app', image: 'app:1' }] },
});

const deployment = (name: string, replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: { replicas, selector: { matchLabels: { app: name } }, template: template({ app: name }) },
});

const cronJob = (name: string, schedule: string) => `
apiVersion: batch/v1
kind: CronJob
metadata: { name: ${name} }
spec:
  schedule: "${schedule}"
  successfulJobsHistoryLimit: 100
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{ name: work, image: busybox }]
`;

const startTimes = async ({ clients }: TestCluster): Promise<(string | undefined)[]> =>
  (await clients.batch.v1.jobs('default').list()).items.map(({ metadata }) => metadata.creationTimestamp).sort();

const nameOf = ({ metadata }: Pod): string => metadata.name ?? '';

describe('a cluster for a test', () => {
  it('runs applied manifests without advancing the clock', async () => {
    const cluster = await start();
    await cluster.apply(deployment('web', 3));
    const pods = await cluster.untilPodsRunning('app=web', { count: 3 });
    expect(new Set(pods.map(({ spec }) => spec?.nodeName))).toEqual(new Set(['hollow-0', 'hollow-1']));
    await cluster.settle();
    const { status } = await cluster.clients.apps.v1.deployments('default').get('web');
    expect(status).toMatchObject({ availableReplicas: 3, updatedReplicas: 3 });
    expect(await cluster.events()).toContainEqual(
      expect.stringMatching(/^Normal ScalingReplicaSet Deployment\/web: Scaled up replica set web-\w+ from 0 to 3$/),
    );
    await cluster.delete(deployment('web', 3));
    await cluster.until(async () => (await cluster.clients.core.v1.pods('default').list()).items.length === 0, {
      within: '5m',
    });
  });

  it('runs only the configured components', async () => {
    const cluster = await start({
      components: [],
      nodes: 0,
      apiServer: { disableAdmissionPlugins: ['ServiceAccount'] },
    });
    await cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: template({}).spec });
    await cluster.advance('10m');
    const { status, spec } = await cluster.clients.core.v1.pods('default').get('web');
    expect([status?.phase, spec?.nodeName]).toEqual(['Pending', undefined]);
    expect((await cluster.clients.core.v1.nodes().list()).items).toEqual([]);
  });

  it('runs with some controllers only, and without service accounts', async () => {
    const cluster = await start({
      controllers: ['deployment-controller', 'replicaset-controller'],
      apiServer: { disableAdmissionPlugins: ['ServiceAccount'] },
    });
    await cluster.apply(deployment('web', 1));
    await cluster.settle();
    expect((await cluster.clients.core.v1.pods('default').list()).items).toHaveLength(1);
    expect((await cluster.clients.core.v1.serviceAccounts('default').list()).items).toEqual([]);
  });

  it('accepts pods before it is ready', async () => {
    const cluster = await start({ ready: false });
    await cluster.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: template({}).spec,
    });
    await cluster.untilPodsRunning('app=web');
  });

  it('can be stopped at any time: frozen, while it advances, while requests fail', async () => {
    const frozen = await start({ clock: 'frozen' });
    frozen.fail({ by: ['controllers', 'nodes'] }, newInternalError(new Error('no')));
    await frozen.apply(deployment('web', 1));
    const turning = frozen.advance('1h').catch(() => {});
    await frozen.stop();
    await turning;
    await frozen.stop();
  });

  it('enforces RBAC for other identities', async () => {
    const cluster = await start({ components: [] });
    const { clients } = cluster.as({ username: 'jane', groups: ['readers', 'system:authenticated'] });
    await expect(clients.core.v1.pods('default').list()).rejects.toSatisfy(isForbidden);
    await cluster.apply(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: configmap-reader }
rules: [{ apiGroups: [''], resources: [configmaps], verbs: [list] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: readers }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: configmap-reader }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: Group, name: readers }]
`);
    await cluster.until(() => clients.core.v1.configMaps('default').list());
    await expect(clients.core.v1.secrets('default').list()).rejects.toSatisfy(isForbidden);
  });

  it('is independent of other clusters in the same process', async () => {
    const [one, other] = await Promise.all([start({ nodes: 1 }), start({ nodes: 3, now: '2030-01-01T00:00:00Z' })]);
    await one.clients.core.v1.configMaps('default').create({ metadata: { name: 'only-here' } });
    await expect(other.clients.core.v1.configMaps('default').get('only-here')).rejects.toSatisfy(isNotFound);
    await other.advance('1h');
    expect(new Date(other.clock.now()).toISOString()).toMatch(/^2030-01-01T01:00/);
    expect(Math.abs(one.clock.now() - Date.now())).toBeLessThan(60_000);
    expect((await one.clients.core.v1.nodes().list()).items).toHaveLength(1);
    expect((await other.clients.core.v1.nodes().list()).items).toHaveLength(3);
  });
});

describe('the clock', () => {
  it('a CronJob fires twelve times in a year, each time at its time, and nodes stay ready', async () => {
    const cluster = await start({ now: '2026-03-15T12:00:00Z' });
    await cluster.apply(cronJob('monthly', '30 4 1 * *'));
    await cluster.advance('365d');
    expect(await startTimes(cluster)).toEqual([
      ...['04', '05', '06', '07', '08', '09', '10', '11', '12'].map((month) => `2026-${month}-01T04:30:00Z`),
      ...['01', '02', '03'].map((month) => `2027-${month}-01T04:30:00Z`),
    ]);
    for (const { status } of (await cluster.clients.core.v1.nodes().list()).items) {
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      expect(ready).toMatchObject({ status: 'True', lastTransitionTime: expect.stringMatching(/^2026-03-15T12:0/) });
    }
    expect(new Date(cluster.clock.now()).toISOString()).toMatch(/^2027-03-15T12:00/);
  }, 120_000);

  it('a CronJob fires every ten minutes while another one waits for the next day', async () => {
    const cluster = await start({ now: '2026-03-15T22:55:00Z', nodes: 1 });
    await cluster.apply(cronJob('often', '*/10 * * * *'));
    await cluster.apply(cronJob('daily', '0 0 * * *'));
    await cluster.advance('2h');
    expect(await startTimes(cluster)).toEqual(
      [
        ...['23:00', '23:10', '23:20', '23:30', '23:40', '23:50'].map((time) => `2026-03-15T${time}:00Z`),
        ...['00:00', '00:00', '00:10', '00:20', '00:30', '00:40', '00:50'].map((time) => `2026-03-16T${time}:00Z`),
      ].sort(),
    );
  }, 120_000);

  it('when it is frozen, nothing that takes time happens until it is advanced', async () => {
    const cluster = await start({ clock: 'frozen' });
    const before = cluster.clock.now();
    await cluster.clients.core.v1.pods('default').create({
      ...{ apiVersion: 'v1', kind: 'Pod' },
      metadata: {
        name: 'job',
        annotations: { 'hollow.coxswain.dev/run-for': '5m', 'hollow.coxswain.dev/exit-code': '3' },
      },
      spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox' }] },
    });
    const phase = async () => (await cluster.clients.core.v1.pods('default').get('job')).status?.phase;
    await cluster.settle();
    expect([await phase(), cluster.clock.now()]).toEqual(['Running', before]);
    await cluster.advance('299s');
    expect(await phase()).toBe('Running');
    await cluster.advance('2s');
    expect([await phase(), cluster.clock.now()]).toEqual(['Failed', before + 301_000]);
  });

  it('when it is frozen, no Event is lost when several components record them at the same time', async () => {
    const cluster = await start({ clock: 'frozen' });
    const names = ['a', 'b', 'c', 'd'];
    const spec = { containers: [{ name: 'app', image: 'app:1' }] };
    for (const name of names) await cluster.clients.core.v1.pods('default').create({ metadata: { name }, spec });
    const told = async (): Promise<string[]> =>
      (await cluster.events()).flatMap((event) => /^Normal ((?:Scheduled|Started) Pod\/.):/.exec(event)?.[1] ?? []);
    await cluster.until(async () => (await told()).length >= 8);
    expect((await told()).sort()).toEqual(
      ['Scheduled', 'Started'].flatMap((reason) => names.map((name) => `${reason} Pod/${name}`)),
    );
  });

  it('advances only until the condition is met', async () => {
    const cluster = await start({ now: '2026-03-15T12:00:00Z', nodes: 1 });
    await cluster.apply(cronJob('daily', '0 0 * * *'));
    const [first] = await cluster.until(
      async () => {
        const { items } = await cluster.clients.batch.v1.jobs('default').list();
        return items.some(({ status }) => status?.succeeded === 1) && items;
      },
      { within: '30d' },
    );
    expect(first?.status?.completionTime).toMatch(/^2026-03-16T00:00:0/);
    expect(new Date(cluster.clock.now()).toISOString()).toMatch(/^2026-03-16T00:00:0/);
  });

  it('watches and informers of the test continue across an advance', async () => {
    const cluster = await start({ nodes: 1 });
    const watch = await cluster.clients.core.v1.configMaps('default').watch({ fieldSelector: 'metadata.name=late' });
    const { clock } = cluster;
    const informers = new SharedInformerFactory(cluster.clients, { clock, namespace: 'default' });
    const { informer, lister } = informers.core.v1.configMaps;
    const stop = new AbortController();
    informers.start(stop.signal);
    await informer.whenSynced();
    await cluster.advance('3h');
    await cluster.clients.core.v1.configMaps('default').create({ metadata: { name: 'late' } });
    for await (const { type } of watch) {
      expect(type).toBe('ADDED');
      break;
    }
    await cluster.until(() => lister.namespace('default').get('late'), { within: '1m' });
    stop.abort();
    await informers.shutdown();
  });

  it('cannot be advanced when it is real', async () => {
    const cluster = await start({ clock: 'real', components: [] });
    await expect(cluster.advance('1h')).rejects.toThrow('the real clock cannot be advanced');
  });
});

describe('waiting', () => {
  it('reports the last error, the pods and the Events when it times out', async () => {
    const cluster = await start({ nodes: 1 });
    await cluster.clients.core.v1.pods('default').create({
      metadata: { name: 'big' },
      spec: { containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '64' } } }] },
    });
    const waiting = cluster.until(
      async () => {
        const { status } = await cluster.clients.core.v1.pods('default').get('big');
        if (status?.phase !== 'Running') throw new Error(`the phase is ${status?.phase}`);
        return true;
      },
      { within: '30s', what: 'a big pod' },
    );
    const error: unknown = await waiting.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UntilTimeoutError);
    expect(String(error)).toMatch(
      /timed out waiting for a big pod, after 30s of the cluster's time; the last error was: the phase is Pending/,
    );
    expect(String(error)).toContain('default/big: Pending (Unschedulable) on no node');
    expect(String(error)).toMatch(/Warning FailedScheduling Pod\/big: 0\/1 nodes are available: 1 Insufficient cpu/);
  });

  it('explains the timeout of a condition that only asserts', async () => {
    const cluster = await start({ components: [] });
    const onlyAsserts = (): void => {
      expect(cluster.clock.now()).toBeGreaterThan(0);
    };
    await expect(cluster.until(onlyAsserts, { timeout: 50 })).rejects.toThrow(
      'after 50 ms; the last result was undefined; a condition is met when its result is truthy',
    );
  });
});

describe('loading', () => {
  const folders: string[] = [];
  afterEach(async () => {
    await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
  });

  it('applies definitions before their objects and namespaces before their contents, from files in any order', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'manifests-'));
    folders.push(folder);
    await writeFile(
      join(folder, '1-object.yaml'),
      'apiVersion: example.com/v1\nkind: Boat\nmetadata: { name: b, namespace: harbour }\nspec: { oars: 8 }\n',
    );
    await writeFile(
      join(folder, '2-rest.json'),
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'harbour' } },
          { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'harbour' } },
        ],
      }),
    );
    await writeFile(
      join(folder, '3-crd.yaml'),
      `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: boats.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: boats, singular: boat, kind: Boat, listKind: BoatList }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { oars: { type: integer } } } }
`,
    );
    const cluster = await start({ components: [] });
    const applied = await cluster.applyFile(folder);
    expect(applied.map(({ kind }) => kind)).toEqual(['CustomResourceDefinition', 'Namespace', 'ConfigMap', 'Boat']);
    const boats = await cluster.dynamic.forKind('example.com/v1', 'Boat');
    expect((await boats.inNamespace('harbour').get('b')).spec).toEqual({ oars: 8 });
    await cluster.applyFile(join(folder, '*-object.yaml'));
    await expect(cluster.applyFile(join(folder, 'nothing-*.yaml'))).rejects.toThrow('there are no manifests at');
    await cluster.delete({ apiVersion: 'example.com/v1', kind: 'Boat', metadata: { name: 'b', namespace: 'harbour' } });
    await expect(boats.inNamespace('harbour').get('b')).rejects.toSatisfy(isNotFound);
  });
});

describe('injected failures', () => {
  const pods = GroupResource.of('', 'pods');

  it('requests fail the given number of times, and controllers recover', async () => {
    const cluster = await start();
    const conflict = newConflict(pods, 'x', new Error('it was changed meanwhile'));
    cluster.fail({ by: 'controllers', verb: 'create', resource: 'pods' }, newInternalError(new Error('no')), {
      times: 2,
    });
    cluster.fail({ by: 'scheduler', verb: 'create', resource: 'pods/binding' }, conflict, { times: 1 });
    cluster.fail({ by: 'nodes', verb: 'patch', resource: 'pods/status' }, new Error('gone'), {
      times: 1,
      afterwards: true,
    });
    await cluster.apply(deployment('web', 2));
    await cluster.untilPodsRunning('app=web', { count: 2, within: '10m' });
    const events = (await cluster.events()).join('\n');
    expect(events).toContain('Error creating: Internal error occurred: no');
    const { items } = await cluster.clients.core.v1.pods('default').list();
    expect(items).toHaveLength(2);
  });

  it('requests of the test fail, too, until the fault is removed', async () => {
    const cluster = await start({ components: [] });
    const { configMaps } = cluster.clients.core.v1;
    const end = cluster.fail(
      { by: 'users', verb: ['create', 'update'], resource: 'configmaps' },
      newConflict(GroupResource.of('', 'configmaps'), 'c', new Error('no')),
    );
    await expect(configMaps('default').create({ metadata: { name: 'c' } })).rejects.toThrow(
      'Operation cannot be fulfilled on configmaps "c": no',
    );
    await configMaps('default').list();
    end();
    await configMaps('default').create({ metadata: { name: 'c' } });
  });

  it('the clock waits for delayed responses', async () => {
    const cluster = await start({ clock: 'frozen' });
    cluster.delay({ by: 'scheduler', resource: 'pods/binding' }, '20s', { times: 1 });
    await cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: template({}).spec });
    await cluster.settle();
    expect((await cluster.clients.core.v1.pods('default').get('web')).spec?.nodeName).toBeUndefined();
    await cluster.until(async () => (await cluster.clients.core.v1.pods('default').get('web')).spec?.nodeName, {
      within: '25s',
    });
  });

  it('caches are stale while their watches are held back, and catch up later', async () => {
    const cluster = await start();
    const release = cluster.holdBack({ by: 'controllers', resource: 'deployments' });
    await cluster.apply(deployment('web', 1));
    await cluster.settle();
    expect((await cluster.clients.apps.v1.replicaSets('default').list()).items).toEqual([]);
    release();
    await cluster.untilPodsRunning('app=web');
  });

  it('broken watches are restarted, and no change is missed', async () => {
    const cluster = await start();
    await cluster.settle();
    expect(cluster.dropWatches({ by: ['controllers', 'scheduler', 'nodes'] })).toBeGreaterThan(50);
    await cluster.apply(deployment('web', 2));
    await cluster.untilPodsRunning('app=web', { count: 2, within: '5m' });
  });

  it('stopped components continue after a restart', async () => {
    const cluster = await start();
    await cluster.stopComponent('scheduler');
    await cluster.apply(deployment('web', 1));
    await cluster.settle();
    const { items } = await cluster.clients.core.v1.pods('default').list();
    expect(items.map(({ spec }) => spec?.nodeName)).toEqual([undefined]);
    cluster.startComponent('scheduler');
    await cluster.untilPodsRunning('app=web');
    await cluster.restart('controllers');
    await cluster.clients.apps.v1.deployments('default').patch('web', 'merge', { spec: { replicas: 3 } });
    await cluster.untilPodsRunning('app=web', { count: 3 });
  });

  it('pods of a killed node are replaced on another one, and the node can be revived', async () => {
    const cluster = await start();
    await cluster.apply(deployment('web', 2));
    const before = await cluster.untilPodsRunning('app=web', { count: 2 });
    const lost = before.filter(({ spec }) => spec?.nodeName === 'hollow-0').map(nameOf);
    expect(lost).toHaveLength(1);
    await cluster.nodes.kill('hollow-0');
    const readiness = async () => {
      const { status } = await cluster.clients.core.v1.nodes().get('hollow-0');
      return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    };
    await cluster.advance('2m');
    expect(await readiness()).toBe('Unknown');
    await cluster.until(
      async () => {
        const { items } = await cluster.clients.core.v1.pods('default').list({ labelSelector: 'app=web' });
        const running = items.filter(
          ({ metadata, status }) => !metadata.deletionTimestamp && status?.phase === 'Running',
        );
        return running.length === 2 && running.every(({ spec }) => spec?.nodeName === 'hollow-1');
      },
      { within: '15m' },
    );
    cluster.nodes.revive('hollow-0');
    await cluster.until(async () => (await readiness()) === 'True', { within: '5m' });
    await cluster.until(async () => (await cluster.clients.core.v1.pods('default').list()).items.length === 2, {
      within: '5m',
    });
    await expect(cluster.nodes.kill('hollow-7')).rejects.toThrow('there is no node hollow-7, only hollow-0, hollow-1');
  });
});

describe('snapshots', () => {
  it('are the initial state of any number of clusters', async () => {
    const first = await start({ now: '2026-05-01T00:00:00Z' });
    await first.apply(deployment('web', 2));
    const names = (await first.untilPodsRunning('app=web', { count: 2 })).map(nameOf).sort();
    await first.advance('1h');
    await first.settle();
    const state = first.snapshot();
    await first.stop();
    for (const name of ['one', 'two']) {
      const next = await start({ from: state });
      expect(new Date(next.clock.now()).toISOString()).toMatch(/^2026-05-01T01:00/);
      await next.clients.core.v1.configMaps('default').create({ metadata: { name: 'mine' }, data: { name } });
      await next.settle();
      expect((await next.untilPodsRunning('app=web', { count: 2 })).map(nameOf).sort()).toEqual(names);
      await next.clients.apps.v1.deployments('default').patch('web', 'merge', { spec: { replicas: 3 } });
      await next.untilPodsRunning('app=web', { count: 3 });
    }
  });
});

describe('access from outside of the process', () => {
  it('opens a port with the first kubeconfig, and removes the kubeconfig file with the cluster', async () => {
    const cluster = await start();
    const path = await cluster.kubeconfigFile();
    const rest = new RESTClient(newTransport(await loadRestConfig({ path })));
    const { core } = new ClientSet(rest);
    await core.v1.configMaps('default').create({ metadata: { name: 'from-outside' } });
    await cluster.until(() => cluster.clients.core.v1.configMaps('default').get('from-outside'));
    await cluster.apply(deployment('web', 1));
    const [pod] = await cluster.untilPodsRunning('app=web');
    expect((await core.v1.pods('default').get(nameOf(pod!))).status?.phase).toBe('Running');
    await rest.close();
    await cluster.stop();
    await expect(access(path)).rejects.toThrow('ENOENT');
  });
});
