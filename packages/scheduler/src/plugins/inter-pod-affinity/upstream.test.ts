import { describe, expect, it } from 'vitest';
import { answersOf, type RecordedCase } from '../../topology/recorded-case.test-data.ts';
import recorded from '../testdata/upstream-inter-pod-affinity.json' with { type: 'json' };
import { interPodAffinity } from './index.ts';

const cases: readonly RecordedCase[] = JSON.parse(JSON.stringify(recorded));

describe("InterPodAffinity returns the same results as upstream's", () => {
  it.each(cases.map((one, i) => [i, one] as const))('for random cluster %i', (_, one) => {
    const { hints = [], ...answers } = answersOf(interPodAffinity, one);
    const { hints: expectedHints = [], ...expected } = one.expected;
    expect(answers).toEqual(expected);
    // Our hints queue some pods more often than upstream's.
    expect(hints.filter((hint, i) => hint === 'Skip' && expectedHints[i] === 'Queue')).toEqual([]);
  });
});
