import type { Pod } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import type { FsStats, PodStats } from '../stats/summary.ts';
import { hasStorageLimit, storageExcess } from './storage-excess.ts';

const time = '2026-01-01T00:00:00Z';
const used = (usedBytes: number): FsStats => ({ time, usedBytes });
const limited = (limit: string) => ({ limits: { 'ephemeral-storage': limit } });

const pod: Pod = {
  metadata: { name: 'web', uid: 'u1' },
  spec: {
    containers: [
      { name: 'first', resources: limited('1Ki') },
      { name: 'second', resources: limited('1Ki') },
    ],
    volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Mi' } }],
  },
};

const statsOf = (given: Partial<PodStats>): PodStats => ({
  podRef: { name: 'web', namespace: 'default', uid: 'u1' },
  startTime: time,
  containers: [],
  ...given,
});
const container = (name: string, logs: number, rootfs: number) => ({
  name,
  startTime: time,
  logs: used(logs),
  rootfs: used(rootfs),
});

describe('a pod', () => {
  it.each<[sentence: string, stats: Partial<PodStats>, excess: string | undefined]>([
    [
      'within all limits',
      { volume: [{ name: 'data', ...used(1_048_576) }], 'ephemeral-storage': used(2048) },
      undefined,
    ],
    [
      'with more in a volume than the volume’s limit',
      { volume: [{ name: 'data', ...used(1_048_577) }] },
      'emptydirfs.limit: Usage of EmptyDir volume "data" exceeds the limit "1Mi". ',
    ],
    [
      'that uses more than all its containers may',
      { 'ephemeral-storage': used(2049) },
      'ephemeralpodfs.limit: Pod ephemeral local storage usage exceeds the total limit of containers 2Ki. ',
    ],
    [
      'with a container that uses more than it may',
      { 'ephemeral-storage': used(1100), containers: [container('first', 10, 10), container('second', 1000, 100)] },
      'ephemeralcontainerfs.limit: Container second exceeded its local ephemeral storage limit "1Ki". ',
    ],
    ['of which nothing is known', {}, undefined],
  ])('%s', (_, stats, excess) => {
    const found = storageExcess(pod, statsOf(stats), { hasImageFileSystem: false });
    expect(found && `${found.signal}: ${found.message}`).toBe(excess);
  });

  it('may write to the root file systems of its containers if images have a file system of their own', () => {
    const stats = statsOf({ containers: [container('second', 1000, 100)] });
    expect(storageExcess(pod, stats, { hasImageFileSystem: true })).toBeUndefined();
  });

  it('has a limit by its volumes, its containers or its init containers', () => {
    const main = { name: 'main' };
    const hasLimit = (spec: Pod['spec']): boolean => hasStorageLimit({ metadata: {}, spec });
    expect(hasLimit({ containers: [main], volumes: [{ name: 'data', emptyDir: {} }] })).toBe(false);
    expect(hasLimit({ containers: [main], volumes: [{ name: 'data', emptyDir: { sizeLimit: '1' } }] })).toBe(true);
    expect(hasLimit({ containers: [{ ...main, resources: limited('1') }] })).toBe(true);
    expect(hasLimit({ containers: [main], initContainers: [{ name: 'init', resources: limited('1') }] })).toBe(true);
  });
});
