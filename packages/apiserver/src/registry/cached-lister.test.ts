import type { ConfigMap } from '@coxswain/api/core/v1';
import { beforeEach, describe, expect, it } from 'vitest';
import { CachedLister } from './cached-lister.ts';
import { testRegistries } from './registries.test-data.ts';
import type { ResourceRegistries } from './resource-registries.ts';

let registries: ResourceRegistries;
let lister: CachedLister<ConfigMap>;
beforeEach(async () => {
  ({ registries } = testRegistries());
  lister = new CachedLister(registries.registry('', 'configmaps'));
  await lister.synced;
});

const write = (verb: 'create' | 'update', name: string, data: Record<string, string> = {}): Promise<ConfigMap> =>
  registries[verb]('', 'configmaps', {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, namespace: 'default' },
    data,
  });
const remove = (name: string): Promise<void> => registries.delete('', 'configmaps', 'default', name);

describe('objects of a cached lister', () => {
  it('are decoded once, and dropped when they are deleted', async () => {
    for (const name of ['a', 'b', 'c']) await write('create', name);
    const [a] = lister.list('default');
    expect(lister.get('default', 'a')).toBe(a);
    expect(lister.decoded).toBe(3);
    await remove('a');
    await remove('b');
    expect(lister.decoded).toBe(1);
    expect(lister.get('default', 'a')).toBeUndefined();
  });

  it('are decoded again after they changed', async () => {
    await write('create', 'a', { key: '1' });
    expect(lister.get('default', 'a')?.data).toEqual({ key: '1' });
    await write('update', 'a', { key: '2' });
    expect(lister.decoded).toBe(0);
    expect(lister.get('default', 'a')?.data).toEqual({ key: '2' });
  });
});

it('listeners get the object before and after each change, once the change is visible in the lister', async () => {
  const told: unknown[] = [];
  const stop = lister.onChange((object, old) =>
    told.push([object?.data?.key, old?.data?.key, lister.get('default', 'a')?.data?.key]),
  );
  await write('create', 'a', { key: '1' });
  await write('update', 'a', { key: '2' });
  await remove('a');
  stop();
  await write('create', 'a', { key: '3' });
  expect(told).toEqual([
    ['1', undefined, '1'],
    ['2', '1', '2'],
    [undefined, '2', undefined],
  ]);
});
