import { describe, expect, it } from 'vitest';
import { answersOf, type RecordedCase } from '../../topology/recorded-case.test-data.ts';
import recorded from '../testdata/upstream-pod-topology-spread.json' with { type: 'json' };
import { podTopologySpread } from './index.ts';

const cases: readonly RecordedCase[] = JSON.parse(JSON.stringify(recorded));

describe("PodTopologySpread returns the same results as upstream's", () => {
  it.each(cases.map((one, i) => [i, one] as const))('for random cluster %i', (_, one) => {
    expect(answersOf(podTopologySpread, one)).toEqual(one.expected);
  });
});
