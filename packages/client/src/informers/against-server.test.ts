import type { ConfigMap } from '@coxswain/api/core/v1';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ResourceClient } from '../rest/resource-client.ts';
import { RESTClient } from '../rest/rest-client.ts';
import { InProcessTransport } from '../transport/index.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';

let server: RunningApiServer;
let configMaps: ResourceClient<ConfigMap>;
beforeAll(async () => {
  server = await startApiServer({ memory: true });
  const transport = new InProcessTransport(server.transport({ username: 'me', groups: ['system:masters'] }));
  const resource = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };
  configMaps = new ResourceClient(new RESTClient(transport), resource, 'default');
});
afterAll(() => server.stop());

describe.each([
  ['a stream', true],
  ['a list', false],
])('SharedIndexInformer that begins with %s', (_, watchList) => {
  it('tells of what is there and of what happens', async () => {
    await configMaps.create({ metadata: { name: 'a' }, data: { x: '1' } });
    const stop = new AbortController();
    const informer = new SharedIndexInformer(configMaps, {
      watchList,
      onError: (error) => seen.push(String(error)),
    });
    const seen: string[] = [];
    let whenDeleted!: () => void;
    const deleted = new Promise<void>((resolve) => {
      whenDeleted = resolve;
    });
    const registration = informer.addEventHandler({
      onAdd: (object, isInInitialList) => void seen.push(`add ${object.metadata?.name} ${isInInitialList}`),
      onUpdate: (old, object) => void seen.push(`update ${old.data?.x} ${object.data?.x}`),
      onDelete: () => whenDeleted(),
    });
    const running = informer.run(stop.signal);
    await registration.whenSynced();
    expect(seen).toContain('add a true');
    expect(informer.indexer.getByKey('default/a')).toMatchObject({ kind: 'ConfigMap', data: { x: '1' } });
    await configMaps.patch('a', 'merge', { data: { x: '2' } });
    await configMaps.delete('a');
    await deleted;
    expect(seen.slice(-1)).toEqual(['update 1 2']);
    expect(informer.indexer.getByKey('default/a')).toBeUndefined();
    expect(informer.state).toBe('Watching');
    stop.abort();
    await running;
    expect(informer.isStopped).toBe(true);
  });
});
