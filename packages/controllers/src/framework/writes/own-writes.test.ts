import type { SharedInformer } from '@coxswain/client';
import { describe, expect, it } from 'vitest';
import { OwnWrites } from './own-writes.ts';

/** An informer that has received everything up to this version. */
function informerAt(lastSyncResourceVersion: string): SharedInformer & { lastSyncResourceVersion: string } {
  return {
    name: 'pods',
    run: async () => {},
    hasSynced: () => true,
    whenSynced: async () => {},
    isStopped: false,
    lastSyncResourceVersion,
  };
}

describe('OwnWrites', () => {
  it('are seen when every cache has reached their version', () => {
    const [pods, sets] = [informerAt('9'), informerAt('10')];
    const writes = new OwnWrites();
    writes.wrote('default/web', pods, '10');
    writes.wrote('default/web', sets, '9');
    expect(writes.areSeen('default/web')).toBe(false);
    expect(writes.areSeen('default/other')).toBe(true);
    pods.lastSyncResourceVersion = '10';
    expect(writes.areSeen('default/web')).toBe(true);
  });

  it('are seen when the last of several is', () => {
    const pods = informerAt('99');
    const writes = new OwnWrites();
    for (const version of ['100', '102', '101', undefined]) writes.wrote('web', pods, version);
    pods.lastSyncResourceVersion = '101';
    expect(writes.areSeen('web')).toBe(false);
    pods.lastSyncResourceVersion = '102';
    expect(writes.areSeen('web')).toBe(true);
  });

  it('count as seen when they are forgotten or their versions cannot be compared', () => {
    const writes = new OwnWrites();
    writes.wrote('web', informerAt('1'), '2');
    writes.forget('web');
    expect(writes.areSeen('web')).toBe(true);
    writes.wrote('web', informerAt('1'), 'abc');
    expect(writes.areSeen('web')).toBe(true);
    writes.wrote('web', informerAt(''), '2');
    expect(writes.areSeen('web')).toBe(true);
  });
});
