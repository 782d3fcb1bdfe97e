import { describe, expect, it } from 'vitest';
import type { Random } from './random.ts';
import { seededRandom } from './seeded-random.ts';
import { systemRandom } from './system-random.ts';

const implementations: [name: string, random: Random][] = [
  ['systemRandom', systemRandom],
  ['seededRandom', seededRandom('a test')],
];

describe.each(implementations)('%s', (_name, random) => {
  it('returns UUIDs of version 4', () => {
    const uuids = Array.from({ length: 100 }, random.uuid);
    for (const uuid of uuids)
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(uuids).size).toBe(100);
  });

  it('returns fractions and whole numbers of the whole range, and none outside it', () => {
    const seen = new Set<number>();
    for (let i = 0; i < 1000; i++) {
      const fraction = random.number();
      expect(fraction >= 0 && fraction < 1).toBe(true);
      seen.add(random.integer(7));
    }
    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('returns the requested number of bytes', () => {
    expect(random.bytes(33)).toHaveLength(33);
    expect(new Set(random.bytes(1000)).size).toBeGreaterThan(200);
  });

  it('returns name suffixes like upstream: five characters, no vowels, no digits that look like letters', () => {
    const suffixes = Array.from({ length: 200 }, random.nameSuffix);
    for (const suffix of suffixes) expect(suffix).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(new Set(suffixes.join('')).size).toBe(27);
  });
});

describe('a seed', () => {
  it('determines the sequence', () => {
    const drawn = (seed: string | number) => {
      const random = seededRandom(seed);
      return [random.uuid(), random.number(), random.integer(1e9), random.nameSuffix(), [...random.bytes(4)]];
    };
    expect(drawn(7)).toEqual(drawn('7'));
    expect(drawn(7)).not.toEqual(drawn(8));
    expect(drawn('7/scheduler')).not.toEqual(drawn('7/controllers'));
  });

  it('gives the same sequence on every machine and in every version', () => {
    const random = seededRandom('coxswain');
    expect(Array.from({ length: 4 }, () => random.integer(2 ** 32))).toEqual([
      596608302, 4177996474, 4040324090, 3703174690,
    ]);
  });
});
