import type { Deployment } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { groupVersionResources } from '@coxswain/api/resources';
import { isNotFound } from '@coxswain/apimachinery/errors';
import type { APIResourceList } from '@coxswain/apimachinery/meta';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CustomResource, customResource } from '../custom-resources/index.ts';
import { RESTClient } from '../rest/index.ts';
import { InProcessTransport } from '../transport/index.ts';
import { ClientSet, extractApplyConfiguration } from './index.ts';

let server: RunningApiServer;
let rest: RESTClient;
let clients: ClientSet;
beforeAll(async () => {
  server = await startApiServer({ memory: true });
  rest = new RESTClient(new InProcessTransport(server.transport({ username: 'me', groups: ['system:masters'] })));
  clients = new ClientSet(rest);
  await clients.core.v1.serviceAccounts('default').create({ metadata: { name: 'default' } });
});
afterAll(() => server.stop());

const pod = (name: string): Pod => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } });
const deployment = (name: string): Deployment => ({
  metadata: { name },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});

it('lists every resource that the server serves, each with its own list kind', async () => {
  let listed = 0;
  for (const { group, version, resources } of groupVersionResources) {
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const served = await rest.request<APIResourceList>({ method: 'GET', path }).catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    // Alpha and beta versions are disabled by default, as upstream.
    if (!served) continue;
    const versionClient = Object(Reflect.get(Object(Reflect.get(clients, group.split('.')[0] || 'core')), version));
    for (const { name, kind, verbs } of resources) {
      if (!verbs.includes('list') || !served.resources.some((resource) => resource.name === name)) continue;
      const property = Object.keys(versionClient).find((key) => key.toLowerCase() === name)!;
      expect(await versionClient[property]().list()).toMatchObject({ kind: `${kind}List` });
      listed += 1;
    }
  }
  expect(listed).toBeGreaterThan(50);
});

it('evicts, binds and reads pods', async () => {
  const pods = clients.core.v1.pods('default');
  await pods.create(pod('bound'));
  expect(await pods.bind('bound', { target: { kind: 'Node', name: 'n' } })).toMatchObject({ status: 'Success' });
  expect((await pods.get('bound')).spec?.nodeName).toBe('n');
  const running = await pods.patchStatus('bound', 'merge', { status: { phase: 'Running' } });
  expect(running.status?.phase).toBe('Running');
  expect((await clients.core.v1.pods().list({ fieldSelector: 'spec.nodeName=n' })).items).toHaveLength(1);
  await pods.create(pod('evicted'));
  expect(await pods.evict('evicted')).toMatchObject({ status: 'Success' });
  await expect(pods.get('evicted')).rejects.toSatisfy(isNotFound);
});

it('scales', async () => {
  const deployments = clients.apps.v1.deployments('default');
  await deployments.create(deployment('scaled'));
  const scale = await deployments.getScale('scaled');
  await deployments.updateScale('scaled', { ...scale, spec: { replicas: 2 } });
  expect((await deployments.patchScale('scaled', 'merge', { spec: { replicas: 3 } })).spec?.replicas).toBe(3);
  await deployments.applyScale('scaled', { spec: { replicas: 4 } }, { fieldManager: 'scaler', force: true });
  expect((await deployments.get('scaled')).spec?.replicas).toBe(4);
});

it('creates SelfSubjectReviews and SelfSubjectAccessReviews', async () => {
  const { status } = await clients.authentication.v1.selfSubjectReviews().create({});
  expect(status.userInfo?.username).toBe('me');
  const review = { spec: { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } } };
  expect((await clients.authorization.v1.selfSubjectAccessReviews().create(review)).status.allowed).toBe(true);
});

it('creates tokens and finalizes namespaces', async () => {
  const token = await clients.core.v1.serviceAccounts('default').createToken('default', { spec: { audiences: ['a'] } });
  expect(token.status.token).toBeTruthy();
  const namespace = await clients.core.v1.namespaces().create({ metadata: { name: 'finalized' } });
  const finalized = await clients.core.v1.namespaces().finalize({ ...namespace, spec: { finalizers: [] } });
  expect(finalized.spec?.finalizers ?? []).toEqual([]);
});

it('applies, extracts the applied configuration, and applies it again with a change', async () => {
  const deployments = clients.apps.v1.deployments('default');
  const configuration = {
    metadata: { name: 'applied', labels: { a: '1' }, finalizers: ['example.com/mine'] },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'x' } },
      template: {
        metadata: { labels: { app: 'x' } },
        spec: {
          containers: [{ name: 'c', image: 'i', args: ['a', 'b'], ports: [{ containerPort: 80 }] }],
          volumes: [{ name: 'v', emptyDir: {} }],
        },
      },
    },
  };
  await deployments.apply(configuration, { fieldManager: 'me' });
  await deployments.patch('applied', 'merge', {
    metadata: { labels: { other: '1' } },
    spec: { template: { spec: { nodeName: 'n' } } },
  });
  const object = await deployments.get('applied');
  const extracted = extractApplyConfiguration(object, 'me');
  expect(extracted).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    ...configuration,
    metadata: { namespace: 'default', ...configuration.metadata },
  });
  expect(extractApplyConfiguration(object, 'other')).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'applied', namespace: 'default' },
  });
  const again = await deployments.apply(
    { ...extracted, spec: { ...extracted.spec, replicas: 5 } },
    { fieldManager: 'me' },
  );
  expect(again.spec?.replicas).toBe(5);
  await deployments.applyStatus({ metadata: { name: 'applied' }, status: { replicas: 1 } }, { fieldManager: 'me' });
  expect(extractApplyConfiguration(await deployments.get('applied'), 'me', 'status').status).toEqual({ replicas: 1 });
});

it('has typed clients for custom resources', async () => {
  interface Backup extends CustomResource<{ target: string }, { done: boolean }> {}
  await clients.apiextensions.v1.customResourceDefinitions().create({
    metadata: { name: 'backups.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'backups', kind: 'Backup' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
  const definitions = clients.apiextensions.v1.customResourceDefinitions();
  const watch = await definitions.watch({ fieldSelector: 'metadata.name=backups.example.com' });
  for await (const event of watch) {
    if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
    const { conditions } = event.object.status ?? {};
    if (conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) break;
  }

  const description = { group: 'example.com', version: 'v1', resource: 'backups', kind: 'Backup' };
  const backups = customResource<Backup>(rest, { ...description, namespaced: true });
  const created = await backups('default').create({ metadata: { name: 'b' }, spec: { target: 'x' } });
  const done = await backups('default').updateStatus({ ...created, status: { done: true } });
  expect(done.status?.done).toBe(true);
  await backups('default').applyStatus(
    { metadata: { name: 'b' }, status: { done: false } },
    { fieldManager: 'f', force: true },
  );
  expect((await backups().list()).items.map(({ spec, status }) => ({ spec, status }))).toEqual([
    { spec: { target: 'x' }, status: { done: false } },
  ]);
});
