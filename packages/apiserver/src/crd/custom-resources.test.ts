import type { Store } from '@coxswain/storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, tokens } from '../../test/test-server.ts';
import { ApiServer } from '../server/api-server.ts';
import {
  atsUrl,
  definitionOf,
  definitionsUrl,
  type Json,
  TestApi,
  type TestObject,
  versionOf,
} from './custom-resources.test-data.ts';

let api: TestApi;
let groups = 0;
beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.server.stop());

async function define(...versions: Json[]): Promise<string> {
  const group = `group-${++groups}.dev`;
  await api.define(definitionOf(group, versions.length > 0 ? versions : [versionOf('v1', true, 'a')]));
  return group;
}
const at = (group: string, name: string, spec: object = { a: 'x' }): object => ({
  apiVersion: `${group}/v1`,
  kind: 'At',
  metadata: { name },
  spec,
});
async function change(group: string, edit: (spec: Json) => Json): Promise<TestObject> {
  const url = `${definitionsUrl}/ats.${group}`;
  const [, definition] = await api.send('GET', url);
  const [status, changed] = await api.send('PUT', url, { ...definition, spec: edit(definition.spec) });
  expect([status, changed.message]).toEqual([200, undefined]);
  return changed;
}

describe('a patch with an invalid kind or metadata', () => {
  it.each([
    [
      { kind: 5, metadata: 1.5 },
      "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
    [{ kind: '', metadata: 1.5 }, "Object 'Kind' is missing in '"],
    [{ metadata: 1.5 }, 'json: cannot unmarshal number into Go value of type v1.ObjectMeta'],
    [{ kind: 'Other', metadata: 1.5 }, 'json: cannot unmarshal number into Go value of type v1.ObjectMeta'],
  ])('is rejected: %j', async (patch, message) => {
    const group = await define();
    await api.send('POST', atsUrl(group, 'v1'), at(group, 'a'));
    const [status, refused] = await api.send('PATCH', atsUrl(group, 'v1', 'a'), patch, 'application/merge-patch+json');
    expect([status, refused.message.includes(message) || refused.message]).toEqual([422, true]);
  });
});

describe('DeleteOptions', () => {
  it.each(['group-of-their-own', 'v1', 'apps/v1', 'meta.k8s.io/v1', 'nobody.dev/v7'])(
    'are accepted in every group version: %s',
    async (named) => {
      const group = await define();
      await api.send('POST', atsUrl(group, 'v1'), at(group, 'a'));
      const apiVersion = named === 'group-of-their-own' ? `${group}/v1` : named;
      const options = { kind: 'DeleteOptions', apiVersion, dryRun: ['All'] };
      expect(await api.send('DELETE', atsUrl(group, 'v1', 'a'), options)).toMatchObject([200, {}]);
      // The option dryRun was applied.
      expect(await api.send('GET', atsUrl(group, 'v1', 'a'))).toMatchObject([200, {}]);
    },
  );

  it('must not be of another kind', async () => {
    const group = await define();
    await api.send('POST', atsUrl(group, 'v1'), at(group, 'a'));
    const message = 'no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"';
    const pod = { kind: 'Pod', apiVersion: 'v1' };
    expect(await api.send('DELETE', atsUrl(group, 'v1', 'a'), pod)).toMatchObject([400, { message }]);
  });
});

describe('an established definition', () => {
  it('is in discovery and OpenAPI, and its objects can be created, before a watch reports the condition', async () => {
    const group = `group-${++groups}.dev`;
    const next = await api.watch(`${definitionsUrl}?fieldSelector=metadata.name%3Dats.${group}`);
    await api.send('POST', definitionsUrl, definitionOf(group, [versionOf('v1', true, 'a')]));
    for (;;) {
      const { object } = (await next()) as { object: { status: { conditions: Json[] | null } } };
      const established = object.status.conditions?.find(({ type }) => type === 'Established');
      if (established?.status === 'True') break;
    }
    expect(await api.send('POST', atsUrl(group, 'v1'), at(group, 'a'))).toMatchObject([201, { kind: 'At' }]);
    expect(await api.send('GET', `/apis/${group}`)).toMatchObject([200, { preferredVersion: { version: 'v1' } }]);
    const [, index] = await api.send('GET', '/openapi/v3');
    expect(Object.keys(index.paths as object)).toContain(`apis/${group}/v1`);
  });

  it('is removed from discovery, OpenAPI and the store when it is deleted', async () => {
    const group = await define();
    await api.send('POST', atsUrl(group, 'v1'), at(group, 'a'));
    await api.send('DELETE', `${definitionsUrl}/ats.${group}`);
    await api.until(`${definitionsUrl}/ats.${group}`, ({ code }) => code === 404);
    for (const url of [`/apis/${group}`, atsUrl(group, 'v1')])
      expect(await api.send('GET', url)).toEqual([404, { message: '404 page not found\n' }]);
    const [, index] = await api.send('GET', '/openapi/v3');
    expect(Object.keys(index.paths as object)).not.toContain(`apis/${group}/v1`);
    expect((await api.server.config.store.list(`/registry/${group}/`)).entries).toEqual([]);
    // A definition of the same name can be created, and has no objects.
    await api.define(definitionOf(group, [versionOf('v1', true, 'a')]));
    expect(await api.send('GET', atsUrl(group, 'v1'))).toMatchObject([200, { items: [] }]);
  });

  it('is reported as deleted to a watch that starts after the DELETE request', async () => {
    let go = (): void => {};
    let onPause = (): void => {};
    const paused = new Promise<void>((resolve) => (onPause = resolve));
    const { server } = await startTestServer(
      {},
      {
        pauseBeforeRemoval: () => {
          onPause();
          return new Promise<void>((resolve) => (go = resolve));
        },
      },
    );
    const seen = TestApi.of(server);
    const group = `group-${++groups}.dev`;
    const name = `ats.${group}`;
    await seen.define(definitionOf(group, [versionOf('v1', true, 'a')]));
    await seen.send('POST', atsUrl(group, 'v1'), at(group, 'a'));
    const conditionOf = ({ metadata, status }: TestObject): unknown[] => [
      metadata.deletionTimestamp !== undefined,
      metadata.finalizers,
      ((status as Json).conditions as Json[]).find(({ type }) => type === 'Terminating')?.reason,
    ];
    const { metadata } = (await seen.send('GET', `${definitionsUrl}/${name}`))[1];
    const from = (resourceVersion: string): Promise<() => Promise<Json | null>> =>
      seen.watch(`${definitionsUrl}?resourceVersion=${resourceVersion}&fieldSelector=metadata.name%3D${name}`);
    const before = await from(metadata.resourceVersion);
    const terminating = (reason: string) => [true, ['customresourcecleanup.apiextensions.k8s.io'], reason];
    const [status, answer] = await seen.send('DELETE', `${definitionsUrl}/${name}`);
    expect([status, conditionOf(answer)]).toEqual([200, terminating('InstanceDeletionPending')]);
    const inProgress = terminating('InstanceDeletionInProgress');
    const shown = await seen.until(`${definitionsUrl}/${name}`, ({ status }) =>
      JSON.stringify(status).includes('InstanceDeletionInProgress'),
    );
    expect(conditionOf(shown)).toEqual(inProgress);
    await paused;
    // It rejects new objects, and existing ones are deleted.
    expect(await seen.send('POST', atsUrl(group, 'v1'), at(group, 'b'))).toMatchObject([403, {}]);
    expect(await seen.send('GET', atsUrl(group, 'v1', 'a'))).toMatchObject([404, {}]);
    const after = await from('0');
    const next = async (watch: () => Promise<Json | null>): Promise<unknown[]> => {
      const { type, object } = (await watch()) as { type: string; object: TestObject };
      return [type, ...conditionOf(object)];
    };
    expect(await next(after)).toEqual(['ADDED', ...inProgress]);
    go();
    expect(await next(after)).toEqual(['DELETED', ...inProgress]);
    expect([await next(before), await next(before), await next(before)]).toEqual([
      ['MODIFIED', ...terminating('InstanceDeletionPending')],
      ['MODIFIED', ...inProgress],
      ['DELETED', ...inProgress],
    ]);
    await server.stop();
  });

  it('waits for the finalizers of its objects', async () => {
    const group = await define();
    const url = `${definitionsUrl}/ats.${group}`;
    await api.send('POST', atsUrl(group, 'v1'), { ...at(group, 'a'), metadata: { name: 'a', finalizers: ['a.b/c'] } });
    await api.send('DELETE', url);
    const reasonOf = ({ status }: TestObject): unknown =>
      ((status as Json).conditions as Json[]).find(({ type }) => type === 'Terminating')?.reason;
    await api.until(url, (definition) => reasonOf(definition) === 'InstanceDeletionInProgress');
    const merge = 'application/merge-patch+json';
    await api.until(atsUrl(group, 'v1', 'a'), ({ metadata }) => metadata.deletionTimestamp !== undefined);
    // The definition changes while it waits.
    await api.send('PATCH', url, { metadata: { labels: { a: 'b' } } }, merge);
    await api.send('PATCH', atsUrl(group, 'v1', 'a'), { metadata: { finalizers: null } }, merge);
    await api.until(url, ({ code }) => code === 404);
  });

  it('is served by another server on the same store', async () => {
    const group = await define();
    await api.send('POST', atsUrl(group, 'v1'), at(group, 'a'));
    const { store } = api.server.config;
    const second = new ApiServer({ ...api.server.config, store: lent(store) });
    await second.start();
    const headers = { authorization: `Bearer ${tokens.admin}` };
    const response = await second.transport()({ method: 'GET', url: atsUrl(group, 'v1', 'a'), headers });
    expect(response.status).toBe(200);
    await second.stop();
  });
});

/** A store that must not be closed by the server. */
const lent = (store: Store): Store =>
  new Proxy(store, {
    get(target, key) {
      if (key === 'close') return async () => {};
      const value = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

describe('a change of a definition', () => {
  it('ends the watches of its objects and no others', async () => {
    const [changed, other] = [await define(), await define()];
    const watch = await api.watch(atsUrl(changed, 'v1'));
    const others = await api.watch(atsUrl(other, 'v1'));
    const pods = await api.watch('/api/v1/pods');
    await change(changed, (spec) => ({ ...spec, versions: [versionOf('v1', true, 'a', 'b')] }));
    expect(await watch()).toBeNull();
    await api.send('POST', atsUrl(other, 'v1'), at(other, 'a'));
    expect(await others()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await api.send('POST', '/api/v1/namespaces/default/pods', { metadata: { name: `pod-${groups}` }, spec });
    expect(await pods()).toMatchObject({ type: 'ADDED' });
  });

  it('that does not affect serving ends no watches', async () => {
    const group = await define();
    const watch = await api.watch(atsUrl(group, 'v1'));
    const merge = 'application/merge-patch+json';
    await api.send('PATCH', `${definitionsUrl}/ats.${group}`, { metadata: { labels: { a: 'b' } } }, merge);
    await api.send('POST', atsUrl(group, 'v1'), at(group, 'a'));
    expect(await watch()).toMatchObject({ type: 'ADDED' });
  });

  it('does not interrupt requests in progress', async () => {
    const group = await define();
    const writes = Array.from({ length: 20 }, (_, i) => api.send('POST', atsUrl(group, 'v1'), at(group, `a-${i}`)));
    await change(group, (spec) => ({ ...spec, versions: [versionOf('v1', true, 'a', 'b')] }));
    expect((await Promise.all(writes)).map(([status]) => status)).toEqual(Array(20).fill(201));
    const [, list] = await api.send('GET', atsUrl(group, 'v1'));
    expect(list.items).toHaveLength(20);
  });

  it('applies the new schema to stored objects when they are read, and stores the result with the next write', async () => {
    const group = await define(versionOf('v1', true, 'a', 'b'));
    await api.send('POST', atsUrl(group, 'v1'), at(group, 'o', { a: 'x', b: 'y' }));
    const properties = {
      spec: { type: 'object', properties: { a: { type: 'string' }, c: { type: 'string', default: 'd' } } },
    };
    const version = { ...versionOf('v1', true), schema: { openAPIV3Schema: { type: 'object', properties } } };
    await change(group, (spec) => ({ ...spec, versions: [version] }));
    const [, object] = await api.send('GET', atsUrl(group, 'v1', 'o'));
    expect(object.spec).toEqual({ a: 'x', c: 'd' });
    const key = `/registry/${group}/ats/default/o`;
    const stored = async (): Promise<Json> =>
      JSON.parse(Buffer.from((await api.server.config.store.get(key)).entry!.value).toString()).spec;
    expect(await stored()).toEqual({ a: 'x', b: 'y' });
    const [, written] = await api.send('PUT', atsUrl(group, 'v1', 'o'), object);
    expect(written.metadata.generation).toBe(1);
    expect(await stored()).toEqual({ a: 'x', c: 'd' });
  });
});

describe('a stored object', () => {
  it('is sent without encoding it again', async () => {
    const group = await define();
    await api.send('POST', atsUrl(group, 'v1'), at(group, 'a'));
    const [first, second] = [
      await api.raw('GET', atsUrl(group, 'v1', 'a')),
      await api.raw('GET', atsUrl(group, 'v1', 'a')),
    ];
    expect(first.body).toBe(second.body);
  });

  it('is cached once for all versions', async () => {
    const group = await define(versionOf('v1', true, 'a'), versionOf('v2', false, 'a'), versionOf('v3', false, 'a'));
    await api.send('POST', atsUrl(group, 'v1'), at(group, 'a'));
    for (const version of ['v2', 'v3'])
      expect(await api.send('GET', atsUrl(group, version, 'a'))).toMatchObject([
        200,
        { apiVersion: `${group}/${version}` },
      ]);
    const response = await api.raw('GET', '/metrics');
    const text = Buffer.from(response.body as Uint8Array).toString();
    expect(text).toContain(`apiserver_resource_objects{group="${group}",resource="ats"} 1\n`);
  });
});
