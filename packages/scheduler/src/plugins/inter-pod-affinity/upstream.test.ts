import { describe, expect, it } from 'vitest';
import { answersOf, type RecordedCase } from '../../topology/recorded-case.test-data.ts';
import recorded from '../testdata/upstream-inter-pod-affinity.json' with { type: 'json' };
import { interPodAffinity } from './index.ts';

const cases: readonly RecordedCase[] = JSON.parse(JSON.stringify(recorded));

describe("InterPodAffinity says what upstream's says", () => {
  it.each(cases.map((one, i) => [i, one] as const))('to random cluster %i', (_, one) => {
    const { hints = [], ...answers } = answersOf(interPodAffinity, one);
    const { hints: expectedHints = [], ...expected } = one.expected;
    expect(answers).toEqual(expected);
    // Ours wakes up some pods more.
    expect(hints.filter((hint, i) => hint === 'Skip' && expectedHints[i] === 'Queue')).toEqual([]);
  });
});
