import type { Pod } from '@coxswain/api/core/v1';
import { recordLogs } from '@coxswain/apimachinery/log';
import { FakeClock } from '@coxswain/client';
import { expect, it } from 'vitest';
import type { PodStats } from '../stats/summary.ts';
import { StorageEviction } from './storage-eviction.ts';

const podOf = (name: string, spec: Partial<Pod['spec']> = {}): Pod => ({
  metadata: { name, uid: name },
  spec: { containers: [{ name: 'main' }], volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Ki' } }], ...spec },
});
const statsOf = (name: string, usedBytes: number): PodStats => ({
  podRef: { name, namespace: 'default', uid: name },
  startTime: null,
  containers: [],
  volume: [{ name: 'data', time: '', usedBytes }],
});

function evictionOf(activePods: readonly Pod[], stats: readonly PodStats[] | Error) {
  const clock = new FakeClock();
  const { logger, lines } = recordLogs();
  const told: string[] = [];
  const evicted = new Set<string>();
  let collections = 0;
  const eviction = new StorageEviction({
    kubelet: {
      activePods,
      evict(uid, { reason }, graceSeconds) {
        if (evicted.has(uid)) return false;
        evicted.add(uid);
        told.push(`${uid} ${reason} within ${graceSeconds}`);
        return true;
      },
    },
    stats: async () => {
      collections++;
      if (stats instanceof Error) throw stats;
      return stats;
    },
    hasImageFileSystem: async () => false,
    metrics: { podEvicted: (signal) => void told.push(signal) },
    recorder: {
      event: (_, type, reason) => void told.push(`${type} ${reason}`),
      annotatedEvent: () => {},
    },
    clock,
    logger,
  });
  return { eviction, clock, lines, told, collections: () => collections };
}

it('pods that exceed a limit are evicted once, and critical ones never', async () => {
  const pods = [podOf('small'), podOf('large'), podOf('critical', { priority: 2_000_000_000 })];
  const { eviction, clock, told, lines } = evictionOf(pods, [
    statsOf('small', 1024),
    statsOf('large', 1025),
    statsOf('critical', 1025),
  ]);
  const stop = new AbortController();
  const running = eviction.run(stop.signal);
  await clock.advance(25_000);
  stop.abort();
  await running;
  expect(told).toEqual(['large Evicted within 1', 'Warning Evicted', 'emptydirfs.limit']);
  expect(lines[0]).toContain('Eviction manager: cannot evict a critical pod');
});

it('no statistics are collected for pods without limits', async () => {
  const { eviction, collections } = evictionOf([podOf('free', { volumes: [] })], []);
  await eviction.check(new AbortController().signal);
  expect(collections()).toBe(0);
});

it('a runtime that gives no statistics is asked again', async () => {
  const { eviction, clock, lines, collections } = evictionOf([podOf('web')], new Error('no runtime'));
  const stop = new AbortController();
  const running = eviction.run(stop.signal);
  await clock.advance(10_000);
  stop.abort();
  await running;
  expect(collections()).toBe(2);
  expect(lines[0]).toContain('no runtime');
});
