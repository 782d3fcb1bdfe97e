import { Path } from '@coxswain/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { candidatesWanted, readDefaultPreemptionArgs } from './default-preemption-args.ts';

describe('args', () => {
  it('have defaults', () => {
    expect(readDefaultPreemptionArgs(undefined)).toEqual({
      minCandidateNodesPercentage: 10,
      minCandidateNodesAbsolute: 100,
    });
  });

  it.each<[object, string]>([
    [
      { minCandidateNodesPercentage: 101 },
      'args.minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]',
    ],
    [
      { minCandidateNodesAbsolute: -1 },
      'args.minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)',
    ],
    [
      { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 },
      '[args.minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute, ' +
        'args.minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as minCandidateNodesPercentage]',
    ],
  ])('%j are refused', (args, message) => {
    expect(() => readDefaultPreemptionArgs(args, Path.of('args'))).toThrow(new Error(message));
  });
});

describe('the number of candidates wanted', () => {
  it.each([
    [5000, 500],
    [800, 100],
    [1500, 150],
    [7, 7],
  ])('of %i nodes: %i', (nodes, wanted) => {
    expect(candidatesWanted(readDefaultPreemptionArgs({}), nodes)).toBe(wanted);
  });
});
