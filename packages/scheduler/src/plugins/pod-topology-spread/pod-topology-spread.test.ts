import type { Pod, TopologySpreadConstraint } from '@coxswain/api/core/v1';
import { Path } from '@coxswain/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { CycleState } from '../../framework/cycle-state.ts';
import { PodInfo } from '../../framework/pod-info.ts';
import { nodeInfos, topologyHandle } from '../../topology/recorded-case.test-data.ts';
import { podTopologySpread } from './index.ts';
import { readPodTopologySpreadArgs } from './pod-topology-spread-args.ts';

const nodes = nodeInfos([{ metadata: { name: 'node', labels: { zone: 'z' } } }], []);
const create = () => podTopologySpread.create(readPodTopologySpreadArgs(undefined), topologyHandle(nodes));

/** A pod with a selector that the API server's validation would refuse. */
const unreadable = (whenUnsatisfiable: TopologySpreadConstraint['whenUnsatisfiable']): PodInfo => {
  const pod: Pod = { metadata: { name: 'p', namespace: 'n1' }, spec: { containers: [] } };
  const labelSelector = { matchExpressions: [{ key: 'a', operator: 'In' as const, values: [] }] };
  const topologySpreadConstraints = [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable, labelSelector }];
  return new PodInfo({ ...pod, spec: { containers: [], topologySpreadConstraints } });
};
const complaint = "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty";

describe('an invalid selector', () => {
  it('fails PreFilter for DoNotSchedule', () => {
    expect(create().preFilter!(new CycleState(), unreadable('DoNotSchedule'), nodes)).toMatchObject({
      code: 'Error',
      reasons: [`get constraints from pod: obtaining pod's hard topology spread constraints: ${complaint}`],
    });
  });

  it('fails PreScore for ScheduleAnyway', () => {
    expect(create().preScore!(new CycleState(), unreadable('ScheduleAnyway'), nodes)).toMatchObject({
      code: 'Error',
      reasons: [`calculating preScoreState: obtaining pod's soft topology spread constraints: ${complaint}`],
    });
  });
});

describe('the args', () => {
  it('are system defaults when absent', () => {
    expect(readPodTopologySpreadArgs(undefined)).toEqual({ defaultingType: 'System', defaultConstraints: [] });
  });

  const zone = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' };

  it('list constraints', () => {
    const args = { defaultingType: 'List', defaultConstraints: [{ ...zone, nodeTaintsPolicy: 'Honor' }] };
    expect(readPodTopologySpreadArgs(args)).toEqual(args);
  });

  it.each<[string, unknown, string]>([
    [
      'a list beside the system defaults',
      { defaultConstraints: [zone] },
      'defaultingType: Invalid value: "System": when .defaultConstraints are not empty',
    ],
    [
      'another type',
      { defaultingType: 'Foo' },
      'defaultingType: Unsupported value: "Foo": supported values: "System", "List"',
    ],
    [
      'empty constraints',
      { defaultingType: 'List', defaultConstraints: [{}] },
      '[defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf), defaultConstraints[0].topologyKey: Required value: can not be empty, defaultConstraints[0].whenUnsatisfiable: Required value: can not be empty]',
    ],
    [
      'constraints with only invalid fields',
      {
        defaultingType: 'List',
        defaultConstraints: [
          {
            maxSkew: -1,
            topologyKey: 'not valid!',
            whenUnsatisfiable: 'Never',
            labelSelector: { matchLabels: { a: 'b' } },
          },
        ],
      },
      "[defaultConstraints[0].maxSkew: Invalid value: -1: not in valid range (0, inf), defaultConstraints[0].topologyKey: Invalid value: \"not valid!\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), defaultConstraints[0].whenUnsatisfiable: Unsupported value: \"Never\": supported values: \"DoNotSchedule\", \"ScheduleAnyway\", defaultConstraints[0].labelSelector: Forbidden: constraint must not define a selector, as they deduced for each pod]",
    ],
    [
      'the same constraint twice',
      {
        defaultingType: 'List',
        defaultConstraints: [zone, { ...zone, maxSkew: 2 }, { ...zone, whenUnsatisfiable: 'DoNotSchedule' }],
      },
      'defaultConstraints[1]: Duplicate value: "{zone, ScheduleAnyway}"',
    ],
    ['unknown fields', { defaultConstraint: [] }, 'strict decoding error: unknown field "defaultConstraint"'],
  ])('must not have %s', (_, args, message) => {
    expect(() => readPodTopologySpreadArgs(args)).toThrow(new Error(message));
  });

  it('are named with their path in errors', () => {
    expect(() => readPodTopologySpreadArgs({ defaultingType: 'Foo' }, Path.of('args'))).toThrow(
      /^args\.defaultingType: Unsupported value/,
    );
  });
});
