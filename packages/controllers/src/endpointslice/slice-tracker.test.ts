import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import { describe, expect, it } from 'vitest';
import { SliceTracker } from './slice-tracker.ts';

const key = 'n/web';
const slice = (uid: string, generation: number): EndpointSlice => ({
  metadata: { namespace: 'n', name: uid, uid, generation, labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
});

function tracker(...written: EndpointSlice[]): SliceTracker {
  const tracker = new SliceTracker();
  for (const it of written) tracker.written(it);
  return tracker;
}

describe('what was written', () => {
  it.each<[string, boolean, EndpointSlice[], EndpointSlice[]]>([
    ['is not missed when nothing was', false, [], []],
    ['is there', false, [slice('a', 2)], [slice('a', 2)]],
    ['is there, and others too', false, [slice('a', 2)], [slice('a', 2), slice('b', 1)]],
    ['has been changed since', false, [slice('a', 2)], [slice('a', 3)]],
    ['is not there yet', true, [slice('a', 1)], []],
    ['is older there', true, [slice('a', 2)], [slice('a', 1)]],
  ])('%s', (_, isStale, written, seen) => expect(tracker(...written).areStale(key, seen)).toBe(isStale));

  it('is no news, but what others write is', () => {
    const it = tracker(slice('a', 2));
    expect(it.isNews(slice('a', 2))).toBe(false);
    expect(it.isNews(slice('a', 1))).toBe(false);
    expect(it.isNews(slice('a', 3))).toBe(true);
    expect(it.isNews(slice('b', 1))).toBe(true);
    expect(it.has(slice('b', 1))).toBe(false);
  });

  it('is lost when somebody else deletes it, once', () => {
    const it = tracker(slice('a', 1));
    expect(it.isLost(slice('a', 1))).toBe(true);
    expect(it.isLost(slice('a', 1))).toBe(false);
    expect(it.areStale(key, [])).toBe(false);
  });

  it('and deleted is not lost, and stale as long as it is there', () => {
    const it = tracker(slice('a', 1));
    it.deleted(slice('a', 1));
    expect(it.areStale(key, [slice('a', 1)])).toBe(true);
    expect(it.areStale(key, [])).toBe(false);
    expect(it.isLost(slice('a', 1))).toBe(false);
  });

  it('is forgotten with its service', () => {
    const it = tracker(slice('a', 1));
    it.forget(key);
    expect(it.areStale(key, [])).toBe(false);
  });
});
