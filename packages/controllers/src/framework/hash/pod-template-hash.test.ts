import { describe, expect, it } from 'vitest';
import { readRecordedHashes } from '../../../test/pod-template-hashes/recorded-hash.ts';
import { templateHash } from './pod-template-hash.ts';

const recorded = { ...readRecordedHashes('templates'), ...readRecordedHashes('every-field') };

describe('templateHash', () => {
  it.each(Object.entries(recorded))('is the same as upstream for %s', (_, { template, collisionCount, hash }) => {
    expect(templateHash(template, collisionCount)).toBe(hash);
  });

  it('does not depend on the order of keys', () => {
    const { template } = recorded['metadata of all kinds']!;
    const turned = (value: object): object =>
      Array.isArray(value)
        ? value
        : Object.fromEntries(
            Object.entries(value)
              .map(([key, inner]) => [key, typeof inner === 'object' && inner !== null ? turned(inner) : inner])
              .reverse(),
          );
    expect(templateHash(turned(template))).toBe(templateHash(template));
  });

  it('differs for every collision count', () => {
    const hashes = [undefined, 0, 1, 256, 2 ** 31 - 1, -1].map((count) => templateHash({}, count));
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
