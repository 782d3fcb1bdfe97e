import type { Node, NodeSelectorTerm, PodSpec } from '@coxswain/api/core/v1';
import { Path } from '@coxswain/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { nodeSelectorTest, preferredNodeAffinity, requiredNodeAffinity } from './node-affinity.ts';

const node: Node = { metadata: { name: 'n1', labels: { disk: 'ssd', cpus: '8' } } };
const matches = (spec: Partial<PodSpec>): boolean => requiredNodeAffinity({ containers: [], ...spec })(node);
const withTerms = (...nodeSelectorTerms: NodeSelectorTerm[]): Partial<PodSpec> => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});

describe('a pod may be on a node', () => {
  it.each<[string, Partial<PodSpec>, boolean]>([
    ['that it says nothing of', {}, true],
    ['with the labels it selects', { nodeSelector: { disk: 'ssd' } }, true],
    ['only with all of them', { nodeSelector: { disk: 'ssd', gpu: 'yes' } }, false],
    ['of a name', withTerms({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }), true],
    ['not of a name', withTerms({ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n1'] }] }), false],
    [
      'when any term is met',
      withTerms(
        { matchExpressions: [{ key: 'disk', operator: 'In', values: ['hdd'] }] },
        { matchExpressions: [{ key: 'cpus', operator: 'Gt', values: ['4'] }] },
      ),
      true,
    ],
    [
      'when all of a term is met',
      withTerms({
        matchExpressions: [
          { key: 'cpus', operator: 'Lt', values: ['9'] },
          { key: 'disk', operator: 'Exists' },
          { key: 'gpu', operator: 'DoesNotExist' },
        ],
      }),
      true,
    ],
    [
      'not when a part of a term is not met',
      withTerms({
        matchExpressions: [{ key: 'disk', operator: 'Exists' }],
        matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }],
      }),
      false,
    ],
    ['not by a term that says nothing', withTerms({}), false],
    ['not by no term at all', withTerms(), false],
    ['not by a term that makes no sense', withTerms({ matchExpressions: [{ key: 'disk', operator: 'In' }] }), false],
    [
      'by one term though another makes no sense',
      withTerms(
        { matchExpressions: [{ key: 'disk', operator: 'In' }] },
        { matchExpressions: [{ key: 'disk', operator: 'Exists' }] },
      ),
      true,
    ],
  ])('%s', (_, spec, expected) => {
    expect(matches(spec)).toBe(expected);
  });
});

describe('a pod prefers a node', () => {
  const wants = (key: string, weight: number) => ({
    weight,
    preference: { matchExpressions: [{ key, operator: 'Exists' as const }] },
  });

  it('by the weights of all terms that are for it', () => {
    const errors: string[] = [];
    const score = preferredNodeAffinity(
      [wants('disk', 5), wants('gpu', 70), wants('cpus', 20), { weight: 100, preference: {} }],
      Path.of(''),
      errors,
    );
    expect(score(node)).toBe(25);
    expect(errors).toEqual([]);
  });

  it('not by terms that make no sense, unless they weigh nothing', () => {
    const errors: string[] = [];
    preferredNodeAffinity([wants('a b', 0), wants('a b', 1)], Path.of('at'), errors);
    expect(errors).toEqual([
      expect.stringMatching(/^at\[1\]\.matchExpressions\[0\]\.key: Invalid value: "a b": name part/),
    ]);
  });
});

it('names terms of a selector that make no sense', () => {
  const errors: string[] = [];
  const test = nodeSelectorTest(
    { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'Exists' }] }] },
    Path.of('at'),
    errors,
  );
  expect(errors).toEqual([
    'at.nodeSelectorTerms[0].matchFields[0].operator: Unsupported value: "Exists": supported values: "In", "NotIn"',
  ]);
  expect(test(node)).toBe(false);
});
