import { describe, expect, it } from 'vitest';
import { readFitArgs } from './fit-args.ts';

const core = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];
const ratio = (shape: readonly { utilization: number; score: number }[]) => ({
  scoringStrategy: { type: 'RequestedToCapacityRatio', requestedToCapacityRatio: { shape } },
});
const badName =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const strategies = 'supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"';
const shapePath = 'scoringStrategy.requestedToCapacityRatio.shape';

describe('the args of NodeResourcesFit', () => {
  it('have defaults', () => {
    expect(readFitArgs(undefined)).toEqual({
      ignoredResources: [],
      ignoredResourceGroups: [],
      scoringStrategy: { type: 'LeastAllocated', resources: core },
    });
    const { scoringStrategy } = readFitArgs({ scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'x' }] } });
    expect(scoringStrategy).toEqual({ type: 'MostAllocated', resources: [{ name: 'x', weight: 1 }] });
  });

  it('have a shape for RequestedToCapacityRatio', () => {
    const shape = [
      { utilization: 0, score: 0 },
      { utilization: 100, score: 10 },
    ];
    expect(readFitArgs(ratio(shape)).scoringStrategy).toEqual({
      type: 'RequestedToCapacityRatio',
      resources: core,
      shape,
    });
  });

  it.each<[string, unknown, string]>([
    [
      'invalid names',
      { ignoredResources: ['a b'], ignoredResourceGroups: ['x/y', '-'] },
      `[ignoredResources[0]: Invalid value: "a b": ${badName}, ` +
        `ignoredResourceGroups[0]: Invalid value: "x/y": resource group name can't contain '/', ` +
        `ignoredResourceGroups[1]: Invalid value: "-": ${badName}]`,
    ],
    [
      'an unknown strategy',
      { scoringStrategy: { type: 'Least' } },
      `scoringStrategy.type: Unsupported value: "Least": ${strategies}`,
    ],
    ['no strategy', { scoringStrategy: {} }, `scoringStrategy.type: Unsupported value: "": ${strategies}`],
    [
      'weights out of range',
      {
        scoringStrategy: {
          type: 'LeastAllocated',
          resources: [
            { name: 'cpu', weight: 101 },
            { name: 'memory', weight: -1 },
          ],
        },
      },
      '[scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range (0, 100], ' +
        'scoringStrategy.resources[1].weight: Invalid value: -1: resource weight of memory not in valid range (0, 100]]',
    ],
    [
      'a ratio without a shape',
      { scoringStrategy: { type: 'RequestedToCapacityRatio' } },
      'scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is RequestedToCapacityRatio',
    ],
    ['a shape without points', ratio([]), `${shapePath}: Required value: at least one point must be specified`],
    [
      'a shape for another strategy',
      { scoringStrategy: { ...ratio([{ utilization: 0, score: 0 }]).scoringStrategy, type: 'MostAllocated' } },
      'scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when type is not RequestedToCapacityRatio',
    ],
    [
      'points out of order and range',
      ratio([
        { utilization: 50, score: 11 },
        { utilization: 50, score: -1 },
        { utilization: 101, score: 1 },
        { utilization: -1, score: 1 },
      ]),
      `[${shapePath}[1].utilization: Invalid value: 50: values must be sorted in increasing order, ` +
        `${shapePath}[0].score: Invalid value: 11: not in valid range [0, 10], ` +
        `${shapePath}[1].score: Invalid value: -1: not in valid range [0, 10], ` +
        `${shapePath}[2].utilization: Invalid value: 101: not in valid range [0, 100], ` +
        `${shapePath}[3].utilization: Invalid value: -1: not in valid range [0, 100]]`,
    ],
    ['an unknown field', { ignored: [] }, 'strict decoding error: unknown field "ignored"'],
  ])('are refused with %s', (_, args, message) => {
    expect(() => readFitArgs(args)).toThrow(new Error(message));
  });
});
