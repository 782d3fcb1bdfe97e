import type { Node, NodeSelectorTerm, Pod } from '@coxswain/api/core/v1';
import { Path } from '@coxswain/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { CycleState } from '../../framework/cycle-state.ts';
import { NodeInfo } from '../../framework/node-info.ts';
import { PodInfo } from '../../framework/pod-info.ts';
import { fakeHandle } from '../fake-handle.test-data.ts';
import { nodeAffinity } from './index.ts';

const make = (args: unknown) => nodeAffinity.create(nodeAffinity.readArgs!(args), fakeHandle());
const node = (labels: Record<string, string>): Node => ({ metadata: { name: 'n', labels } });
const named = (...names: string[]): NodeSelectorTerm => ({
  matchFields: names.map((name) => ({ key: 'metadata.name', operator: 'In', values: [name] })),
});
const pod = (...nodeSelectorTerms: NodeSelectorTerm[]): Pod => ({
  metadata: { name: 'p' },
  spec: {
    containers: [],
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  },
});

describe('nodes that a pod names', () => {
  const looked = (wanted: Pod) => make({}).preFilter?.(new CycleState(), new PodInfo(wanted), []);

  it('are the only ones to filter', () => {
    expect(looked(pod(named('a'), named('b')))).toEqual({ nodeNames: new Set(['a', 'b']) });
  });

  it('are not the only ones when another term matches any node', () => {
    expect(looked(pod(named('a'), { matchExpressions: [{ key: 'x', operator: 'Exists' }] }))).toBeUndefined();
  });

  it('cannot be two at once', () => {
    expect(looked(pod(named('a', 'b')))).toMatchObject({
      code: 'UnschedulableAndUnresolvable',
      reasons: ['pod affinity terms conflict'],
    });
  });
});

describe('affinity that the administrator adds', () => {
  const added = (expressions: unknown[]) => ({
    addedAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: expressions }] },
    },
  });
  const onlySsd = make(added([{ key: 'disk', operator: 'In', values: ['ssd'] }]));

  it('applies to pods without affinity', () => {
    const plain = new PodInfo({ metadata: { name: 'p' } });
    const state = new CycleState();
    expect(onlySsd.preFilter?.(state, plain, [])).toBeUndefined();
    expect(onlySsd.filter?.(state, plain, new NodeInfo(node({ disk: 'ssd' })))).toBeUndefined();
    expect(onlySsd.filter?.(state, plain, new NodeInfo(node({ disk: 'hdd' })))?.reasons).toEqual([
      "node(s) didn't match scheduler-enforced node affinity",
    ]);
  });

  it('queues pods when a node starts to match it', () => {
    const [registered] = onlySsd.eventsToRegister?.() ?? [];
    const plain: Pod = { metadata: { name: 'p' } };
    expect(registered?.hint?.(plain, node({}), node({ disk: 'ssd' }))).toBe('Queue');
    expect(registered?.hint?.(plain, node({ disk: 'ssd' }), node({}))).toBe('Skip');
    expect(registered?.hint?.(plain, node({ disk: 'ssd' }), node({ disk: 'ssd', a: 'b' }))).toBe('Skip');
  });

  const required = 'args.addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  const preferred = 'args.addedAffinity.preferredDuringSchedulingIgnoredDuringExecution';
  const tooFew = "for 'in', 'notin' operators, values set can't be empty";

  it.each<[string, unknown, string]>([
    [
      'an unknown operator',
      added([{ key: 'a', operator: 'Foo' }]),
      `${required}[0].matchExpressions[0].operator: Unsupported value: "Foo": ` +
        'supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"',
    ],
    [
      'missing and empty values',
      added([
        { key: 'a', operator: 'In' },
        { key: 'b', operator: 'NotIn', values: [] },
      ]),
      `[${required}[0].matchExpressions[0].values: Invalid value: null: ${tooFew}, ` +
        `${required}[0].matchExpressions[1].values: Invalid value: []: ${tooFew}]`,
    ],
    [
      'invalid field selectors',
      {
        addedAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {},
              {
                matchFields: [
                  { key: 'metadata.name', operator: 'In', values: ['a', 'b'] },
                  { key: 'x', operator: 'Gt' },
                ],
              },
            ],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 0, preference: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['x'] }] } },
            { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['x'] }] } },
          ],
        },
      },
      `[${required}[1].matchFields[0].values: Invalid value: ["a","b"]: must have one element, ` +
        `${required}[1].matchFields[1].operator: Unsupported value: "Gt": supported values: "In", "NotIn", ` +
        `${preferred}[1].matchExpressions[0].values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer]`,
    ],
  ])('is refused with %s', (_, args, message) => {
    expect(() => nodeAffinity.readArgs!(args, Path.of('args'))).toThrow(new Error(message));
  });

  it('may be empty', () => {
    expect(nodeAffinity.readArgs!(undefined)).toEqual({});
    const args = { addedAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } };
    expect(nodeAffinity.readArgs!(args)).toEqual(args);
  });
});
