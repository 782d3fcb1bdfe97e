import type { PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findMatch, isVolumeOf } from './matching.ts';

const claim = (spec: PersistentVolumeClaim['spec'] = {}): PersistentVolumeClaim => ({
  metadata: { namespace: 'a', name: 'c', uid: 'u' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } }, storageClassName: 'x', ...spec },
});

const volume = (
  name: string,
  spec: PersistentVolume['spec'] = {},
  more: Partial<PersistentVolume> = {},
): PersistentVolume => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '4Gi' }, storageClassName: 'x', ...spec },
  status: { phase: 'Available' },
  ...more,
});

const mine = { namespace: 'a', name: 'c' };

describe('findMatch', () => {
  it.each<[sentence: string, volumes: PersistentVolume[], found: string | undefined]>([
    ['nothing without volumes', [], undefined],
    ['the smallest volume', [volume('a'), volume('b', { capacity: { storage: '3Gi' } })], 'b'],
    ['none that is too small', [volume('a', { capacity: { storage: '1Gi' } })], undefined],
    ['none of another class', [volume('a', { storageClassName: 'y' })], undefined],
    ['none of another mode', [volume('a', { volumeMode: 'Block' })], undefined],
    ['none of another attributes class', [volume('a', { volumeAttributesClassName: 'v' })], undefined],
    ['none without the access mode', [volume('a', { accessModes: ['ReadOnlyMany'] })], undefined],
    ['none that is being deleted', [volume('a', {}, { metadata: { name: 'a', deletionTimestamp: 'now' } })], undefined],
    ['none that is not available', [volume('a', {}, { status: { phase: 'Released' } })], undefined],
    ['none reserved for another claim', [volume('a', { claimRef: { namespace: 'a', name: 'd' } })], undefined],
    ['none of an earlier claim of that name', [volume('a', { claimRef: { ...mine, uid: 'old' } })], undefined],
    [
      'the one reserved for it, even if it is larger',
      [volume('a', { capacity: { storage: '3Gi' } }), volume('b', { claimRef: mine })],
      'b',
    ],
    [
      'the one reserved for it, of any class and phase',
      [volume('a', { claimRef: mine, storageClassName: 'y' }, { status: {} })],
      'a',
    ],
    [
      'the one reserved for it only if it is large enough',
      [volume('a', { claimRef: mine, capacity: { storage: '1Gi' } })],
      undefined,
    ],
    [
      'the one with fewer access modes, even if it is larger',
      [volume('a', { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'], capacity: { storage: '3Gi' } }), volume('b')],
      'b',
    ],
  ])('finds %s', (_, volumes, found) => {
    expect(findMatch(claim(), volumes, false)?.metadata.name).toBe(found);
  });

  it('with delayed binding finds only a reserved volume', () => {
    const volumes = [volume('a'), volume('b', { claimRef: mine })];
    expect(findMatch(claim(), volumes.slice(0, 1), true)).toBeUndefined();
    expect(findMatch(claim(), volumes, true)?.metadata.name).toBe('b');
  });

  it('respects the selector', () => {
    const labelled = volume('b', {}, { metadata: { name: 'b', labels: { disk: 'fast' } } });
    const wanted = claim({ selector: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['fast'] }] } });
    expect(findMatch(wanted, [volume('a'), labelled], false)?.metadata.name).toBe('b');
  });

  it('does not depend on the order of the volumes', () => {
    const modes = fc.subarray(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'] as const, { minLength: 1 });
    const some = fc.record({ modes, size: fc.integer({ min: 1, max: 1000 }), isOwn: fc.boolean() });
    const volumes = fc.uniqueArray(some, { selector: ({ size }) => size, maxLength: 12 });
    fc.assert(
      fc.property(volumes, fc.infiniteStream(fc.nat()), (parts, order) => {
        const made = parts.map(({ modes, size, isOwn }) =>
          volume(`v${size}`, {
            accessModes: [...modes],
            capacity: { storage: `${size}Gi` },
            ...(isOwn && { claimRef: mine }),
          }),
        );
        const shuffled = made.map((each) => [order.next().value, each] as const).sort(([a], [b]) => a - b);
        const found = findMatch(claim(), made, false);
        const again = findMatch(
          claim(),
          shuffled.map(([, each]) => each),
          false,
        );
        // If several volumes are reserved for the claim, any of them may be found.
        if (found && isVolumeOf(found, claim())) expect(again && isVolumeOf(again, claim())).toBe(true);
        else expect(again?.metadata.name).toBe(found?.metadata.name);
      }),
      { numRuns: 200 },
    );
  });
});
