import type { PersistentVolume } from '@coxswain/api/core/v1';
import { ClientSet, RESTClient, SharedInformerFactory } from '@coxswain/client';
import { FakeTransport } from '@coxswain/client/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AssumeCache } from './assume-cache.ts';

const volume = (resourceVersion: string, path: string): PersistentVolume => ({
  metadata: { name: 'v', resourceVersion },
  spec: { hostPath: { path } },
});
const pathOf = (found: PersistentVolume | undefined) => found?.spec?.hostPath?.path;

describe('an assumed change', () => {
  let transport: FakeTransport;
  let cache: AssumeCache<PersistentVolume>;
  let stored: PersistentVolume;
  let informers: SharedInformerFactory;

  beforeEach(async () => {
    transport = new FakeTransport({ objects: [{ apiVersion: 'v1', kind: 'PersistentVolume', ...volume('', 'old') }] });
    informers = new SharedInformerFactory(new ClientSet(new RESTClient(transport)));
    const { informer } = informers.core.v1.persistentVolumes;
    informer.addIndexers({ all: () => ['yes'] });
    cache = new AssumeCache(informer);
    informers.start();
    await informers.waitForCacheSync();
    stored = cache.stored('v')!;
  });
  afterEach(() => informers.shutdown());

  const changed = () => new Promise<void>((resolve) => cache.onChange(['v'], resolve));
  const assumed = (): PersistentVolume => ({ ...stored, spec: { hostPath: { path: 'new' } } });

  it('replaces the stored object in reads', () => {
    cache.assume(assumed());
    expect(pathOf(cache.get('v'))).toBe('new');
    expect(cache.byIndex('all', 'yes').map(pathOf)).toEqual(['new']);
    expect(pathOf(cache.stored('v'))).toBe('old');
  });

  it('can be restored', () => {
    cache.assume(assumed());
    cache.restore(volume('999', 'other'));
    expect(pathOf(cache.get('v'))).toBe('new');
    cache.restore(assumed());
    expect(pathOf(cache.get('v'))).toBe('old');
  });

  it('is replaced by every other version', async () => {
    cache.assume(assumed());
    const change = changed();
    const clients = new ClientSet(new RESTClient(transport));
    await clients.core.v1.persistentVolumes().patch('v', 'merge', { spec: { hostPath: { path: 'theirs' } } });
    await change;
    expect(pathOf(cache.get('v'))).toBe('theirs');
    expect(() => cache.assume(assumed())).toThrow(/^"v" is out of sync \(stored: \d+, assume: \d+\)$/);
  });

  it('is dropped when its object is deleted', async () => {
    cache.assume(assumed());
    const change = changed();
    await new ClientSet(new RESTClient(transport)).core.v1.persistentVolumes().delete('v');
    await change;
    expect(cache.get('v')).toBeUndefined();
    expect(() => cache.assume(assumed())).toThrow(/out of sync/);
  });
});
