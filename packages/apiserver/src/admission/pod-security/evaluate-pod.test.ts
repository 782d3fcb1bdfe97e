import { readFileSync } from 'node:fs';
import type { Pod } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import type { Violation } from './checks/index.ts';
import { detailsOf, evaluatePod, reasonsOf } from './evaluate-pod.ts';

/**
 * Pods and their violations according to upstream: its own test data for all levels and versions, and random pods. For
 * each level: the violations from a version on, as indices into the list of violations. Versions are v1.0 to v1.37, and
 * latest.
 */
interface Recorded {
  readonly violations: readonly (readonly [reason: string, detail: string])[];
  readonly pods: readonly {
    readonly pod: Pod;
    readonly baseline: readonly (readonly number[])[];
    readonly restricted: readonly (readonly number[])[];
  }[];
}

const { violations, pods }: Recorded = JSON.parse(
  readFileSync(new URL('testdata/evaluations.json', import.meta.url), 'utf8'),
);
const versions = [...Array.from({ length: 38 }, (_, minor) => minor), Number.POSITIVE_INFINITY];

describe('evaluatePod finds the violations that upstream finds', () => {
  for (const level of ['baseline', 'restricted'] as const)
    it(`on level ${level}, in all versions`, () => {
      for (const recorded of pods) {
        for (const [place, version] of versions.entries()) {
          const [, ...wanted] = recorded[level].findLast(([since = 0]) => since <= place) ?? [];
          const found = evaluatePod({ level, version }, { metadata: recorded.pod.metadata, spec: recorded.pod.spec! });
          const pairs = found.map(({ reason, detail }) => [reason, detail]);
          if (JSON.stringify(pairs) !== JSON.stringify(wanted.map((index) => violations[index])))
            expect({ version, pod: recorded.pod, pairs }).toEqual({
              version,
              pod: recorded.pod,
              pairs: wanted.map((index) => violations[index]),
            });
        }
      }
      expect(pods.length).toBeGreaterThan(400);
    });

  it('on level privileged, which has no checks', () => {
    for (const { pod } of pods)
      expect(evaluatePod({ level: 'privileged', version: 36 }, { spec: pod.spec! })).toEqual([]);
  });
});

describe('formatted violations', () => {
  const both: Violation[] = [
    { reason: 'hostPort', detail: 'container "a" uses hostPort 1' },
    { reason: 'privileged', detail: '' },
  ];

  it('contain reasons', () => expect(reasonsOf(both)).toBe('hostPort, privileged'));
  it('contain details, if any', () =>
    expect(detailsOf(both)).toBe('hostPort (container "a" uses hostPort 1), privileged'));
});
