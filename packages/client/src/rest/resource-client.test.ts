import type { ConfigMap } from '@coxswain/api/core/v1';
import { isConflict, isNotFound } from '@coxswain/apimachinery/errors';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DynamicClient } from '../dynamic/index.ts';
import { InProcessTransport } from '../transport/index.ts';
import { ResourceClient } from './resource-client.ts';
import { RESTClient } from './rest-client.ts';

let server: RunningApiServer;
let rest: RESTClient;
let configMaps: ResourceClient<ConfigMap>;
beforeAll(async () => {
  server = await startApiServer({ memory: true });
  const transport = new InProcessTransport(server.transport({ username: 'me', groups: ['system:masters'] }));
  const resource = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };
  rest = new RESTClient(transport);
  configMaps = new ResourceClient(rest, resource, 'default');
});
afterAll(() => server.stop());

describe('ResourceClient', () => {
  it('creates, reads, changes and deletes', async () => {
    const created = await configMaps.create({ metadata: { name: 'a' }, data: { x: '1' } });
    const watch = await configMaps.watch({ resourceVersion: created.metadata.resourceVersion! });
    const patched = await configMaps.patch('a', 'merge', { data: { x: null, y: '2' } });
    expect(patched.data).toEqual({ y: '2' });
    await expect(configMaps.update({ ...created, data: {} })).rejects.toSatisfy(isConflict);
    const applied = await configMaps.apply({ metadata: { name: 'a' }, data: { z: '3' } }, { fieldManager: 'me' });
    expect(applied.data).toEqual({ y: '2', z: '3' });
    await configMaps.delete('a');
    await expect(configMaps.get('a')).rejects.toSatisfy(isNotFound);
    const seen: string[] = [];
    for await (const event of watch) {
      seen.push(event.type);
      if (event.type === 'DELETED') break;
    }
    expect(seen).toEqual(['MODIFIED', 'MODIFIED', 'DELETED']);
    expect(await watch.ended).toEqual({ reason: 'stopped' });
  });
});

describe('withoutAnswers', () => {
  it('writes, and resolves with undefined', async () => {
    const writes = configMaps.withoutAnswers();
    expect(await writes.create({ metadata: { name: 'b' }, data: { x: '1' } })).toBeUndefined();
    expect(await writes.patch('b', 'merge', { data: { y: '2' } })).toBeUndefined();
    const patched = await configMaps.get('b');
    expect(patched.data).toEqual({ x: '1', y: '2' });
    expect(await writes.update({ ...patched, data: {} })).toBeUndefined();
    expect((await configMaps.get('b')).data).toBeUndefined();
    await expect(writes.update(patched)).rejects.toSatisfy(isConflict);
    expect(await writes.delete('b')).toBeUndefined();
    await expect(writes.delete('b')).rejects.toSatisfy(isNotFound);
    await expect(writes.delete('')).rejects.toThrow('resource name may not be empty');
  });

  it('works for the dynamic client too', async () => {
    const dynamic = new DynamicClient(rest);
    const writes = dynamic.resource(configMaps.resource).inNamespace('default').withoutAnswers();
    await writes.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { x: '1' } });
    expect((await configMaps.get('c')).data).toEqual({ x: '1' });
    expect(await writes.delete('c')).toBeUndefined();
    await expect(configMaps.get('c')).rejects.toSatisfy(isNotFound);
    const nodes = dynamic.resource({ group: '', version: 'v1', resource: 'nodes' });
    await nodes.withoutAnswers().create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
    expect((await nodes.get('n')).kind).toBe('Node');
  });
});

describe('a call for one object', () => {
  const calls: Record<string, (name: string) => Promise<unknown>> = {
    get: (name) => configMaps.get(name),
    delete: (name) => configMaps.delete(name),
    patch: (name) => configMaps.patch(name, 'merge', {}),
    update: (name) => configMaps.update({ metadata: { name } }),
    apply: (name) => configMaps.apply({ metadata: { name } }, { fieldManager: 'me' }),
  };

  it.each(Object.entries(calls))('never addresses the collection: %s', async (_, call) => {
    await configMaps.create({ metadata: { name: 'stays' } });
    await expect(call('')).rejects.toThrow('resource name may not be empty');
    await expect(call(undefined as unknown as string)).rejects.toThrow('resource name may not be empty');
    await expect(call('a/b')).rejects.toThrow('invalid resource name "a/b": [may not contain \'/\']');
    await configMaps.delete('stays');
  });

  it('rejects without a namespace', async () => {
    const everywhere = new ResourceClient<ConfigMap>(rest, configMaps.resource);
    await expect(everywhere.delete('a')).rejects.toThrow('an empty namespace may not be set');
  });
});
