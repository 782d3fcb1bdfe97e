import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordLogs } from '@coxswain/apimachinery/log';
import { ClientSet, newTransport, RESTClient, untilWithSync } from '@coxswain/client';
import { newKubeConfig, parseKubeConfig, restConfigFor } from '@coxswain/client/kubeconfig';
import { openMemoryStore } from '@coxswain/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ApiServerSettings,
  Cluster,
  type ClusterOptions,
  type Component,
  defaultComponents,
  HollowNodeProvider,
} from '../src/index.ts';

let folder: string;
const clusters: Cluster[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cluster-'));
});
afterEach(async () => {
  await Promise.all(clusters.splice(0).map((cluster) => cluster.stop()));
  await rm(folder, { recursive: true });
});

async function start(options: ClusterOptions): Promise<Cluster> {
  const cluster = await Cluster.start({ freezeCaches: true, ...options });
  clusters.push(cluster);
  return cluster;
}

/** The default components, with settings for the API server. */
const withServer = (apiServer: ApiServerSettings): Pick<ClusterOptions, 'components'> => ({
  components: defaultComponents({ apiServer }),
});

it('continues from its data directory, with the same keys', async () => {
  const first = await start({ ...withServer({ dataDir: folder }), nodes: 1 });
  await first.whenReady();
  const { uid } = (await first.clients.core.v1.serviceAccounts('default').get('default')).metadata;
  const { kubeconfig } = await first.listen();
  await first.stop();
  const second = await start({ ...withServer({ dataDir: folder }), nodes: 1 });
  await second.whenReady();
  expect((await second.clients.core.v1.serviceAccounts('default').get('default')).metadata.uid).toBe(uid);
  const authorityOf = async (text: string): Promise<unknown> =>
    [...(await parseKubeConfig(text)).clusters.values()][0]?.['certificate-authority-data'];
  expect(await authorityOf((await second.listen()).kubeconfig)).toBe(await authorityOf(kubeconfig));
});

it('opens one port on listen, which serves the same cluster with the same tokens', async () => {
  const cluster = await start({ nodes: 0 });
  expect([cluster.url, cluster.kubeconfig]).toEqual([undefined, undefined]);
  await cluster.whenReady();
  const [one, two] = await Promise.all([cluster.listen(), cluster.listen()]);
  expect(two).toEqual(one);
  expect([cluster.url, cluster.kubeconfig]).toEqual([one.url, one.kubeconfig]);

  const { status } = await cluster.clients.core.v1
    .serviceAccounts('default')
    .createToken('default', { spec: { audiences: [] } });
  const config = newKubeConfig();
  const admin = await parseKubeConfig(one.kubeconfig);
  config.clusters.set('c', [...admin.clusters.values()][0]!);
  config.users.set('u', { token: status?.token ?? '' });
  config.contexts.set('x', { cluster: 'c', user: 'u' });
  config.currentContext = 'x';
  const rest = new RESTClient(newTransport(await restConfigFor(config)));
  const review = await new ClientSet(rest).authentication.v1.selfSubjectReviews().create({});
  expect(review.status?.userInfo?.username).toBe('system:serviceaccount:default:default');
  await rest.close();
});

it('separate nodes can be killed and revived one by one', async () => {
  const nodes = new HollowNodeProvider(2, { separate: true });
  const cluster = await start({ nodes });
  await cluster.whenReady();
  expect(nodes.names).toEqual(['hollow-0', 'hollow-1']);
  const addresses = (await cluster.clients.core.v1.nodes().list()).items.map(
    ({ status }) => status?.addresses?.find(({ type }) => type === 'InternalIP')?.address,
  );
  expect(new Set(addresses).size).toBe(2);
  await nodes.kill('hollow-0');
  expect(['hollow-0', 'hollow-1'].map((name) => nodes.isAlive(name))).toEqual([false, true]);
  await cluster.stopComponent('nodes');
  cluster.startComponent('nodes');
  expect(['hollow-0', 'hollow-1'].map((name) => nodes.isAlive(name))).toEqual([false, true]);
  nodes.revive('hollow-0');
  expect(nodes.isAlive('hollow-0')).toBe(true);

  await expect(new HollowNodeProvider(2).kill('hollow-0')).rejects.toThrow(
    'only be killed and revived with the option separate',
  );
});

it('allows privileged containers, unless configured otherwise', async () => {
  const spec = { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] };
  const pod = { metadata: { name: 'agent' }, spec };
  const some = await start({ nodes: 0 });
  await some.whenReady();
  const created = await some.clients.core.v1.pods('default').create(pod);
  expect(created.spec?.containers[0]?.securityContext?.privileged).toBe(true);
  const strict = await start({ nodes: 0, ...withServer({ flags: { allowPrivileged: false } }) });
  await strict.whenReady();
  await expect(strict.clients.core.v1.pods('default').create(pod)).rejects.toThrow(
    'spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy',
  );
});

it('records the component that set a field as its field manager', async () => {
  const cluster = await start({ nodes: 1 });
  await cluster.whenReady();
  const { items } = await cluster.clients.core.v1.nodes().list();
  const managers = items.flatMap(({ metadata }) => metadata.managedFields?.map(({ manager }) => manager) ?? []);
  expect(new Set(managers)).toEqual(new Set(['kubelet', 'kube-controller-manager']));
});

it('has a default StorageClass, whose claims get volumes that are deleted with them', async () => {
  const cluster = await start({ nodes: 2 });
  await cluster.whenReady();
  const { pods, persistentVolumes, persistentVolumeClaims } = cluster.clients.core.v1;
  const claims = persistentVolumeClaims('default');
  await claims.create({
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  await pods('default').create({
    metadata: { name: 'db' },
    spec: {
      containers: [{ name: 'db', image: 'postgres', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  });
  await untilWithSync(pods('default'), 'db', (pod) => pod?.status?.phase === 'Running');
  const { spec, status } = await claims.get('data');
  expect([spec?.storageClassName, status?.phase]).toEqual(['standard', 'Bound']);
  const volume = await persistentVolumes().get(spec?.volumeName ?? '');
  expect(volume.spec?.capacity).toEqual({ storage: '1Gi' });

  await pods('default').delete('db', { gracePeriodSeconds: 0 });
  await claims.delete('data');
  await untilWithSync(persistentVolumes(), volume.metadata.name ?? '', (found) => found === undefined);
});

it('does not change existing StorageClasses', async () => {
  const first = await start({ ...withServer({ dataDir: folder }), nodes: 0 });
  await first.whenReady();
  const classes = first.clients.storage.v1.storageClasses();
  const own = { metadata: { name: 'own' }, provisioner: 'example.com/own' };
  await classes.create(own);
  await classes.delete('standard');
  await first.stop();
  const second = await start({ ...withServer({ dataDir: folder }), nodes: 0 });
  await second.whenReady();
  const { items } = await second.clients.storage.v1.storageClasses().list();
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['own']);
});

it('refuses connections to the addresses of hollow pods and their services', async () => {
  const cluster = await start({ nodes: 1 });
  await cluster.whenReady();
  const { core, admissionregistration } = cluster.clients;
  const ports = [{ port: 443 }];
  await core.v1.services('default').create({ metadata: { name: 'hook' }, spec: { clusterIP: '10.96.77.77', ports } });
  const container = { name: 'web', image: 'web' };
  await core.v1.pods('default').create({ metadata: { name: 'web' }, spec: { containers: [container] } });
  const pod = await untilWithSync(core.v1.pods('default'), 'web', (found) => found?.status?.podIP !== undefined);
  const answerOf = (path: string): Promise<unknown> => cluster.rest.request({ method: 'GET', path });
  await expect(answerOf('/api/v1/namespaces/default/pods/web:8080/proxy/')).rejects.toThrow(
    `error trying to reach service: dial tcp ${pod?.status?.podIP}:8080: connect: connection refused`,
  );
  await admissionregistration.v1.validatingWebhookConfigurations().create({
    metadata: { name: 'hook' },
    webhooks: [
      {
        name: 'hook.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { service: { namespace: 'default', name: 'hook' } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
      },
    ],
  });
  await expect(core.v1.configMaps('default').create({ metadata: { name: 'one' } })).rejects.toThrow(
    'failed calling webhook "hook.example.com": failed to call webhook: Post "https://hook.default.svc:443/?timeout=10s": dial tcp 10.96.77.77:443: connect: connection refused',
  );
});

it('reports its components as healthy', async () => {
  const cluster = await start({ nodes: 0 });
  const { items } = await cluster.clients.core.v1.componentStatuses().list();
  const isWell = items.map(({ metadata, conditions }) => [metadata.name, conditions?.[0]?.status]);
  expect(Object.fromEntries(isWell)).toEqual({ scheduler: 'True', 'controller-manager': 'True', 'etcd-0': 'True' });
});

it('rejects invalid flags of the API server with its message', async () => {
  await expect(
    start({ nodes: 0, ...withServer({ flags: { serviceClusterIpRange: ['10.96.0.0/99'] } }) }),
  ).rejects.toThrow(/service-cluster-ip-range/);
});

it('knows whether the stored cluster is ready before any component runs', async () => {
  const store = openMemoryStore();
  const first = await start({ nodes: 2, ...withServer({ store }) });
  expect(await first.isReadyAsStored()).toBe(false);
  await first.whenReady();
  const snapshot = store.snapshot();
  const again = (nodes: number): Promise<Cluster> =>
    start({ nodes, started: [], ...withServer({ store: openMemoryStore({ snapshot }) }) });
  expect(await (await again(2)).isReadyAsStored()).toBe(true);
  expect(await (await again(3)).isReadyAsStored()).toBe(false);
});

describe('a component that is added to the list', () => {
  const withComponent = (component: Component): Pick<ClusterOptions, 'components'> => {
    const [apiServer, ...others] = defaultComponents();
    return { components: [apiServer, ...others, component] };
  };
  const ended = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

  it('runs with its own identity, is waited for, and is stopped before the ones in its after', async () => {
    const seen: string[] = [];
    const cluster = await start({
      nodes: 0,
      ...withComponent({
        name: 'dns',
        after: ['controllers'],
        start({ clientAs, signal, isRunning }) {
          const clients = new ClientSet(clientAs({ username: 'me', groups: ['system:masters'] }));
          const configMap = { metadata: { name: 'dns' }, data: { zone: 'cluster.local' } };
          return {
            ended: ended(signal).then(() => void seen.push(`controllers run: ${isRunning('controllers')}`)),
            ready: async () => void (await clients.core.v1.configMaps('kube-system').create(configMap)),
          };
        },
      }),
    });
    await cluster.whenReady();
    const { metadata } = await cluster.clients.core.v1.configMaps('kube-system').get('dns');
    expect(metadata.managedFields?.map(({ manager }) => manager)).toEqual(['dns']);
    expect((await cluster.status()).map(({ name, phase }) => `${name} ${phase}`)).toEqual([
      'apiserver running',
      'default-storage-class ended',
      'controllers running',
      'scheduler running',
      'nodes running',
      'dns running',
    ]);
    await cluster.stop();
    expect(seen).toEqual(['controllers run: true']);
  });

  it('fails alone: whenReady rejects, and the others keep running', async () => {
    const { logger, lines } = recordLogs();
    const cluster = await start({
      nodes: 0,
      ...withComponent({
        name: 'dns',
        start: () => {
          throw new Error('port 53 is taken');
        },
      }),
      logger,
    });
    expect(lines.filter((line) => line.startsWith('error'))).toEqual([
      'error "Component failed" err="port 53 is taken" component="dns"',
    ]);
    await expect(cluster.whenReady()).rejects.toThrow('port 53 is taken');
    const failed = { name: 'dns', phase: 'failed', problem: 'port 53 is taken' };
    expect((await cluster.status()).at(-1)).toEqual(failed);
    expect(cluster.isRunning('scheduler')).toBe(true);
  });
});

it('lists its components when an unknown one is started, and does not stop its API server', async () => {
  const cluster = await start({ nodes: 0, started: [] });
  expect(() => cluster.startComponent('proxy')).toThrow(
    'there is no component proxy, only apiserver, default-storage-class, controllers, scheduler, nodes',
  );
  await expect(cluster.stopComponent('apiserver')).rejects.toThrow('the API server stops with its cluster');
});

it('nodes have their configured labels, including those that no kubelet may set', async () => {
  const labels = {
    'node-role.kubernetes.io/control-plane': '',
    'node-restriction.kubernetes.io/team': 'a',
    'topology.kubernetes.io/zone': 'z',
    own: 'x',
  };
  const cluster = await start({ nodes: new HollowNodeProvider([{ name: 'a', labels }, { name: 'b' }]) });
  await cluster.whenReady();
  const { metadata } = await cluster.clients.core.v1.nodes().get('a');
  expect(metadata.labels).toMatchObject(labels);
  const kubelet = new ClientSet(cluster.restAs({ username: 'system:node:b', groups: ['system:nodes'] }));
  const patch = { metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } } };
  await expect(kubelet.core.v1.nodes().patch('b', 'merge', patch)).rejects.toThrow(
    'is not allowed to modify labels: node-role.kubernetes.io/control-plane',
  );
});
