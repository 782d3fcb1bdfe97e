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

describe('a written slice', () => {
  it.each<[string, boolean, EndpointSlice[], EndpointSlice[]]>([
    ['is not stale when nothing was written', false, [], []],
    ['is not stale when it is present', false, [slice('a', 2)], [slice('a', 2)]],
    ['is not stale when others are present too', false, [slice('a', 2)], [slice('a', 2), slice('b', 1)]],
    ['is not stale when it was changed since', false, [slice('a', 2)], [slice('a', 3)]],
    ['is stale when it is absent', true, [slice('a', 1)], []],
    ['is stale when it is older', true, [slice('a', 2)], [slice('a', 1)]],
  ])('%s', (_, isStale, written, seen) => expect(tracker(...written).areStale(key, seen)).toBe(isStale));

  it('is no news, but changes by others are', () => {
    const it = tracker(slice('a', 2));
    expect(it.isNews(slice('a', 2))).toBe(false);
    expect(it.isNews(slice('a', 1))).toBe(false);
    expect(it.isNews(slice('a', 3))).toBe(true);
    expect(it.isNews(slice('b', 1))).toBe(true);
    expect(it.has(slice('b', 1))).toBe(false);
  });

  it('is lost once when another client deletes it', () => {
    const it = tracker(slice('a', 1));
    expect(it.isLost(slice('a', 1))).toBe(true);
    expect(it.isLost(slice('a', 1))).toBe(false);
    expect(it.areStale(key, [])).toBe(false);
  });

  it('that was deleted is not lost, and stale while it is present', () => {
    const it = tracker(slice('a', 1));
    it.deleted(slice('a', 1));
    expect(it.areStale(key, [slice('a', 1)])).toBe(true);
    expect(it.areStale(key, [])).toBe(false);
    expect(it.isLost(slice('a', 1))).toBe(false);
  });

  it('is removed with its service', () => {
    const it = tracker(slice('a', 1));
    it.forget(key);
    expect(it.areStale(key, [])).toBe(false);
  });
});
