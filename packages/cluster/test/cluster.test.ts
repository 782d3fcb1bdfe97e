import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClientSet, newTransport, RESTClient, untilWithSync } from '@coxswain/client';
import { newKubeConfig, parseKubeConfig, restConfigFor } from '@coxswain/client/kubeconfig';
import { openMemoryStore, type Store } from '@coxswain/storage';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Cluster, type ClusterOptions } from '../src/index.ts';

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

it('goes on from its directory, with the same keys', async () => {
  const first = await start({ dataDir: folder, nodes: 1 });
  await first.whenReady();
  const { uid } = (await first.clients.core.v1.serviceAccounts('default').get('default')).metadata;
  const { kubeconfig } = await first.listen();
  await first.stop();
  const second = await start({ dataDir: folder, nodes: 1 });
  await second.whenReady();
  expect((await second.clients.core.v1.serviceAccounts('default').get('default')).metadata.uid).toBe(uid);
  const authorityOf = async (text: string): Promise<unknown> =>
    [...(await parseKubeConfig(text)).clusters.values()][0]?.['certificate-authority-data'];
  expect(await authorityOf((await second.listen()).kubeconfig)).toBe(await authorityOf(kubeconfig));
});

it('opens one port, when it is asked to; who comes in there meets the same cluster with the same tokens', async () => {
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

it('each node lives and dies on its own, where they are apart', async () => {
  const cluster = await start({ separateNodes: true });
  await cluster.whenReady();
  expect(cluster.nodes.names).toEqual(['hollow-0', 'hollow-1']);
  const addresses = (await cluster.clients.core.v1.nodes().list()).items.map(
    ({ status }) => status?.addresses?.find(({ type }) => type === 'InternalIP')?.address,
  );
  expect(new Set(addresses).size).toBe(2);
  await cluster.nodes.kill('hollow-0');
  expect(['hollow-0', 'hollow-1'].map((name) => cluster.nodes.isAlive(name))).toEqual([false, true]);
  await cluster.stopComponent('nodes');
  cluster.startComponent('nodes');
  expect(['hollow-0', 'hollow-1'].map((name) => cluster.nodes.isAlive(name))).toEqual([false, true]);
  cluster.nodes.revive('hollow-0');
  expect(cluster.nodes.isAlive('hollow-0')).toBe(true);

  const fleet = await start({ nodes: 2, components: [] });
  await expect(fleet.nodes.kill('hollow-0')).rejects.toThrow('the nodes are one fleet');
});

it('lets containers be privileged, unless it is told not to', async () => {
  const spec = { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] };
  const pod = { metadata: { name: 'agent' }, spec };
  const some = await start({ nodes: 0 });
  await some.whenReady();
  const created = await some.clients.core.v1.pods('default').create(pod);
  expect(created.spec?.containers[0]?.securityContext?.privileged).toBe(true);
  const strict = await start({ nodes: 0, apiServer: { allowPrivileged: false } });
  await strict.whenReady();
  await expect(strict.clients.core.v1.pods('default').create(pod)).rejects.toThrow(
    'spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy',
  );
});

it('has fields of an object belong to the component that set them', async () => {
  const cluster = await start({ nodes: 1 });
  await cluster.whenReady();
  const { items } = await cluster.clients.core.v1.nodes().list();
  const managers = items.flatMap(({ metadata }) => metadata.managedFields?.map(({ manager }) => manager) ?? []);
  expect(new Set(managers)).toEqual(new Set(['kubelet', 'kube-controller-manager']));
});

it('has a default class of storage, whose claims get volumes that go with them', async () => {
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

it('leaves classes of storage as somebody made them', async () => {
  const first = await start({ dataDir: folder, nodes: 0 });
  await first.whenReady();
  const classes = first.clients.storage.v1.storageClasses();
  const own = { metadata: { name: 'own' }, provisioner: 'example.com/own' };
  await classes.create(own);
  await classes.delete('standard');
  await first.stop();
  const second = await start({ dataDir: folder, nodes: 0 });
  await second.whenReady();
  const { items } = await second.clients.storage.v1.storageClasses().list();
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['own']);
});

it('sends nothing to where pods and services only seem to be', async () => {
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

it('says that its components are well', async () => {
  const cluster = await start({ nodes: 0 });
  const { items } = await cluster.clients.core.v1.componentStatuses().list();
  const isWell = items.map(({ metadata, conditions }) => [metadata.name, conditions?.[0]?.status]);
  expect(Object.fromEntries(isWell)).toEqual({ scheduler: 'True', 'controller-manager': 'True', 'etcd-0': 'True' });
});

it('refuses flags of the API server in its words', async () => {
  await expect(start({ nodes: 0, apiServer: { serviceClusterIpRange: ['10.96.0.0/99'] } })).rejects.toThrow(
    /service-cluster-ip-range/,
  );
});

/** Who has sent requests. */
const noting =
  (callers: Set<string>): NonNullable<ClusterOptions['intercept']> =>
  (transport, caller) => ({
    send: (request) => {
      callers.add(caller);
      return transport.send(request);
    },
    openWebSocket: (request) => transport.openWebSocket(request),
    close: () => transport.close(),
  });

it('starts what nobody needs to be ready afterwards, when asked to, and is not idle before', async () => {
  const callers = new Set<string>();
  const cluster = await start({ nodes: 1, readyFirst: true, intercept: noting(callers) });
  await cluster.whenReady();
  expect(callers).toEqual(new Set(['users', 'controllers', 'nodes']));
  expect(cluster.isIdle).toBe(false);
  const spec = {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web' }] } },
  };
  const sets = cluster.clients.apps.v1.replicaSets('default');
  await sets.create({ metadata: { name: 'web' }, spec });
  await untilWithSync(sets, 'web', (set) => set?.status?.readyReplicas === 1, { timeoutMs: 20_000 });
  expect(callers).toContain('scheduler');
});

it('starts nothing before it is ready, where what is stored is; for what lacks then, as ever', async () => {
  const store = openMemoryStore();
  const first = await start({ nodes: 2, store });
  await first.whenReady();
  const snapshot = store.snapshot();
  const authorities: string[] = [];
  const again = async (nodes: number, callers: Set<string>): Promise<Cluster> => {
    const reopened = async ({ servingTrust }: { servingTrust: string }): Promise<Store> => {
      authorities.push(servingTrust);
      return openMemoryStore({ snapshot });
    };
    const cluster = await start({ nodes, store: reopened, readyFirst: true, intercept: noting(callers) });
    await cluster.whenReady();
    return cluster;
  };
  const same = new Set<string>();
  const cluster = await again(2, same);
  expect(same).toEqual(new Set(['users']));
  expect(cluster.isIdle).toBe(false);
  const configMaps = cluster.clients.core.v1.configMaps('default');
  // Its keys are its own, of which the store heard; who tells pods of them is one of those to come.
  expect(authorities[0]).toContain('BEGIN CERTIFICATE');
  await untilWithSync(configMaps, 'kube-root-ca.crt', (found) => found?.data?.['ca.crt'] === authorities[0], {
    timeoutMs: 20_000,
  });
  await vi.waitUntil(() => same.size === 4, { timeout: 20_000 });

  const more = new Set<string>();
  await again(3, more);
  expect(more).toContain('nodes');
});

it('stops while it is not ready yet, and a part while it is to come', async () => {
  const cluster = await start({ nodes: 1, readyFirst: true });
  await cluster.stopComponent('scheduler');
  expect(cluster.isRunning('scheduler')).toBe(false);
  await cluster.stop();
});

it('nodes have the labels that they are to have, also those that no kubelet may set', async () => {
  const labels = {
    'node-role.kubernetes.io/control-plane': '',
    'node-restriction.kubernetes.io/team': 'a',
    'topology.kubernetes.io/zone': 'z',
    own: 'x',
  };
  const cluster = await start({ nodes: [{ name: 'a', labels }, { name: 'b' }] });
  await cluster.whenReady();
  const { metadata } = await cluster.clients.core.v1.nodes().get('a');
  expect(metadata.labels).toMatchObject(labels);
  const kubelet = new ClientSet(cluster.restAs({ username: 'system:node:b', groups: ['system:nodes'] }));
  const patch = { metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } } };
  await expect(kubelet.core.v1.nodes().patch('b', 'merge', patch)).rejects.toThrow(
    'is not allowed to modify labels: node-role.kubernetes.io/control-plane',
  );
});
