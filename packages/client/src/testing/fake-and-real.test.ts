import { ApiError } from '@coxswain/apimachinery/errors';
import type { KubernetesObject, Status } from '@coxswain/apimachinery/meta';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cronTabDefinition, defineCronTabs } from '../discovery/crontab.test-data.ts';
import { CachedDiscovery, DeferredRESTMapper, DiscoveryClient } from '../discovery/index.ts';
import { DynamicClient, type DynamicResourceInterface, type Unstructured } from '../dynamic/index.ts';
import { MetadataClient } from '../metadata/index.ts';
import { RESTClient } from '../rest/rest-client.ts';
import { ScaleClient } from '../scale/index.ts';
import { InProcessTransport } from '../transport/index.ts';
import type { Transport } from '../transport/transport.ts';
import type { Watch } from '../watch/watch.ts';
import { FakeTransport } from './fake-transport.ts';

const group = 'stable.example.com';
const apiVersion = `${group}/v1`;
const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
const cronTabs = { group, version: 'v1', resource: 'crontabs' };

const servers: Record<string, () => Promise<{ transport: Transport; stop(): Promise<void> }>> = {
  async fake() {
    const { names, versions } = cronTabDefinition(group).spec;
    const described = { singularName: names.singular ?? '', namespaced: true };
    const transport = new FakeTransport({
      resources: versions.map(({ name }) => ({
        groupVersion: `${group}/${name}`,
        resources: [
          {
            ...described,
            name: names.plural,
            kind: names.kind,
            verbs: 'create delete deletecollection get list patch update watch'.split(' '),
            shortNames: names.shortNames ?? [],
          },
          { ...described, name: `${names.plural}/status`, kind: names.kind, verbs: ['get', 'patch', 'update'] },
          {
            ...described,
            name: `${names.plural}/scale`,
            kind: 'Scale',
            group: 'autoscaling',
            version: 'v1',
            verbs: ['get', 'patch', 'update'],
          },
        ],
      })),
    });
    return { transport, stop: () => transport.close() };
  },
  async real() {
    const server: RunningApiServer = await startApiServer({ memory: true });
    const transport = new InProcessTransport(server.transport({ username: 'me', groups: ['system:masters'] }));
    await defineCronTabs(new RESTClient(transport), group);
    return {
      transport,
      async stop() {
        await transport.close();
        await server.stop();
      },
    };
  },
};

/** The Status of the failure, without values that differ between runs. */
async function failureOf(call: Promise<unknown>): Promise<Status> {
  const error = await call.then(
    () => new ApiError({ message: 'it did not fail' }),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw error;
  const { details, ...status } = error.status;
  return { ...status, details: { ...details, uid: '' } };
}

async function eventsOf<T extends KubernetesObject>(watch: Watch<T>, count: number): Promise<string[]> {
  const seen: string[] = [];
  for await (const { type, object } of watch) {
    const metadata = 'metadata' in object ? object.metadata : undefined;
    seen.push(`${type} ${metadata && 'name' in metadata ? metadata.name : ''}`);
    if (seen.length === count) break;
  }
  return seen;
}

/** Sends all kinds of requests, and returns the responses. */
async function run(transport: Transport): Promise<Record<string, unknown>> {
  const rest = new RESTClient(transport);
  const dynamic = new DynamicClient(rest);
  const answers: Record<string, unknown> = {};
  const maps = dynamic.resource(configMaps, { kind: 'ConfigMap' }).inNamespace('default');
  const tabs = dynamic.resource(cronTabs, { kind: 'CronTab' }).inNamespace('default');
  const bare = ({ metadata, ...rest }: Unstructured): unknown => {
    const { uid, resourceVersion, creationTimestamp, managedFields, ...kept } = metadata ?? {};
    return { ...rest, metadata: kept, has: [uid, resourceVersion, creationTimestamp].map((it) => typeof it) };
  };

  const watch = await maps.watch({ labelSelector: 'app=web' });
  const created = await maps.create({ metadata: { name: 'a', labels: { app: 'web' } }, data: { x: '1' } });
  answers.created = bare(created);
  answers.again = await failureOf(maps.create({ metadata: { name: 'a' } }));
  answers.elsewhere = await failureOf(maps.create({ metadata: { name: 'a', namespace: 'other' } }));
  answers.withVersion = await failureOf(maps.create({ metadata: { name: 'v', resourceVersion: '1' } }));
  const ours = { uid: 'mine', creationTimestamp: '2000-01-01T00:00:00Z', deletionTimestamp: '2000-01-01T00:00:00Z' };
  const copied = await maps.create({ metadata: { name: 'copied', ...ours } });
  answers.copied = [bare(copied), copied.metadata?.uid === ours.uid];
  answers.missing = await failureOf(maps.get('nope'));
  const updated = await maps.update({ ...created, data: { x: '2' } });
  answers.updated = bare(updated);
  answers.conflict = await failureOf(maps.update({ ...created, data: { x: '3' } }));
  answers.updateMissing = await failureOf(maps.update({ metadata: { name: 'nope' } }));
  answers.unchanged = (await maps.update(updated)).metadata?.resourceVersion === updated.metadata?.resourceVersion;
  answers.unconditional = bare(await maps.update({ metadata: { name: 'a', labels: { app: 'db' } } }));
  answers.merge = bare(await maps.patch('a', 'merge', { metadata: { labels: { app: 'web' } }, data: { y: '1' } }));
  answers.json = bare(await maps.patch('a', 'json', [{ op: 'replace', path: '/data/y', value: '2' }]));
  answers.badJson = await failureOf(maps.patch('a', 'json', [{ op: 'test', path: '/data/y', value: 'other' }]));
  answers.strategic = bare(await maps.patch('a', 'strategic-merge', { data: { y: null, z: '3' } }));
  answers.patchMissing = await failureOf(maps.patch('nope', 'merge', {}));
  const conflicting = { metadata: { resourceVersion: created.metadata?.resourceVersion ?? '' } };
  answers.patchConflict = await failureOf(maps.patch('a', 'merge', { ...conflicting, data: { z: '4' } }));
  answers.dryRun = bare(await maps.patch('a', 'merge', { data: { dry: 'run' } }, { dryRun: ['All'] }));
  answers.afterDryRun = bare(await maps.get('a'));
  answers.noField = await failureOf(maps.list({ fieldSelector: 'data.x=1' }));
  answers.byName = (await maps.list({ fieldSelector: 'metadata.name=a' })).items.length;
  answers.notByName = (await maps.list({ fieldSelector: 'metadata.name!=a,metadata.namespace=default' })).items.length;
  const generated = await maps.create({ metadata: { generateName: 'gen-' } });
  answers.generated = /^gen-[a-z0-9]{5}$/.test(generated.metadata?.name ?? '');
  const uid = { preconditions: { uid: 'other' } };
  answers.precondition = (await failureOf(maps.delete('a', uid))).reason;
  answers.deleted = await maps.delete('a').then(({ kind, status }) => ({ kind, status }));
  answers.deleteMissing = await failureOf(maps.delete('a'));
  answers.events = await eventsOf(watch, 7);

  answers.applied = bare(await tabs.apply(tab('t', { replicas: 1 }), { fieldManager: 'me' }));
  answers.appliedAgain = bare(await tabs.apply(tab('t', { replicas: 2 }), { fieldManager: 'me' }));
  answers.noStrategic = await failureOf(tabs.patch('t', 'strategic-merge', {}));
  const withStatus = await tabs.create({ ...tab('s', { replicas: 3 }), status: { replicas: 9 } });
  answers.noStatus = bare(withStatus);
  const status = await tabs.updateStatus({
    ...withStatus,
    spec: { replicas: 7 },
    status: { replicas: 3, selector: 'a' },
  });
  answers.status = bare(status);
  answers.keepsStatus = bare(await tabs.update({ ...status, spec: { replicas: 4 }, status: {} }));
  const scales = new ScaleClient(rest).inNamespace('default');
  const scale = await scales.get({ group, resource: 'crontabs' }, 's');
  answers.scale = [scale.kind, scale.apiVersion, scale.spec, scale.status];
  answers.scaled = (await scales.update({ group, resource: 'ct' }, { ...scale, spec: { replicas: 8 } })).spec;
  answers.scalePatch = (await scales.patch({ group, resource: 'ct' }, 's', 'merge', { spec: { replicas: 5 } })).spec;
  answers.afterScale = bare(await tabs.get('s'));
  answers.scaleConflict = await failureOf(scales.update({ group, resource: 'crontabs' }, scale));
  answers.finalizers = await finalizers(tabs);
  answers.pages = await pages(dynamic.resource(cronTabs));

  const partial = await new MetadataClient(rest).resource(cronTabs).inNamespace('default').list();
  answers.metadata = [partial.kind, partial.items.map((item) => [item.kind, Object.keys(item).length])];
  answers.deleteCollection = (await tabs.deleteCollection({}, { labelSelector: 'none=such' })).kind;
  answers.noResource = await failureOf(dynamic.resource({ ...configMaps, resource: 'nope' }).list());
  answers.noVersion = await failureOf(dynamic.resource({ ...cronTabs, version: 'v9' }).list());
  answers.noGroup = await failureOf(dynamic.resource({ ...cronTabs, group: 'nope' }).list());
  answers.noVerb = await failureOf(
    dynamic
      .resource({ ...configMaps, resource: 'bindings' })
      .inNamespace('default')
      .list(),
  );
  const mapper = new DeferredRESTMapper(new CachedDiscovery(new DiscoveryClient(rest)));
  answers.mapped = String((await mapper.mappingForArg('deploy')).resource);
  answers.events2 = await watchList(maps);
  return answers;
}

const tab = (name: string, spec: object) => ({ apiVersion, kind: 'CronTab', metadata: { name }, spec });

/** Deletes an object with a finalizer, which is only marked for deletion. */
async function finalizers(tabs: DynamicResourceInterface): Promise<unknown> {
  const { metadata } = await tabs.create({
    ...tab('f', {}),
    metadata: { name: 'f', finalizers: ['example.com/hold'] },
  });
  const watch = await tabs.watch({ resourceVersion: metadata?.resourceVersion ?? '' });
  const marked = await tabs.delete('f');
  const isMarked = 'metadata' in marked && marked.metadata !== undefined && 'deletionTimestamp' in marked.metadata;
  await tabs.patch('f', 'merge', { metadata: { finalizers: null } });
  return [isMarked, await failureOf(tabs.get('f')), await eventsOf(watch, 2)];
}

async function pages(all: DynamicResourceInterface): Promise<unknown> {
  const first = await all.list({ limit: 1 });
  const second = await all.list({ limit: 1, continue: first.metadata?.continue ?? '' });
  return [first, second].map(({ kind, items, metadata }) => [
    kind,
    items.map((item) => item.metadata?.name),
    metadata?.remainingItemCount,
    Boolean(metadata?.continue),
  ]);
}

/** Opens a watch with the initial list (sendInitialEvents). */
async function watchList(maps: DynamicResourceInterface): Promise<unknown> {
  await maps.create({ metadata: { name: 'listed', labels: { of: 'list' } } });
  const watch = await maps.watch({
    labelSelector: 'of=list',
    sendInitialEvents: true,
    allowWatchBookmarks: true,
    resourceVersionMatch: 'NotOlderThan',
  });
  return eventsOf(watch, 2);
}

describe('a fake and a real server', () => {
  const answers: Record<string, Record<string, unknown>> = {};
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    for (const [name, start] of Object.entries(servers)) {
      const { transport, stop } = await start();
      stops.push(stop);
      answers[name] = await run(transport);
    }
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  it('return the same responses', () => {
    expect(answers.fake).toEqual(answers.real);
  });
});
