import type { Node, NodeSelectorTerm, PodSpec } from '@coxswain/api/core/v1';
import { Path } from '@coxswain/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { nodeSelectorTest, preferredNodeAffinity, requiredNodeAffinity } from './node-affinity.ts';

const node: Node = { metadata: { name: 'n1', labels: { disk: 'ssd', cpus: '8' } } };
const matches = (spec: Partial<PodSpec>): boolean => requiredNodeAffinity({ containers: [], ...spec })(node);
const withTerms = (...nodeSelectorTerms: NodeSelectorTerm[]): Partial<PodSpec> => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});

describe('a pod can run on a node', () => {
  it.each<[string, Partial<PodSpec>, boolean]>([
    ['when it has no constraints', {}, true],
    ['with the labels it selects', { nodeSelector: { disk: 'ssd' } }, true],
    ['only with all of them', { nodeSelector: { disk: 'ssd', gpu: 'yes' } }, false],
    [
      'with a required name',
      withTerms({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }),
      true,
    ],
    [
      'not with an excluded name',
      withTerms({ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n1'] }] }),
      false,
    ],
    [
      'when any term matches',
      withTerms(
        { matchExpressions: [{ key: 'disk', operator: 'In', values: ['hdd'] }] },
        { matchExpressions: [{ key: 'cpus', operator: 'Gt', values: ['4'] }] },
      ),
      true,
    ],
    [
      'when all requirements of a term match',
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
      'not when a requirement of a term does not match',
      withTerms({
        matchExpressions: [{ key: 'disk', operator: 'Exists' }],
        matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }],
      }),
      false,
    ],
    ['not by an empty term', withTerms({}), false],
    ['not by an empty list of terms', withTerms(), false],
    ['not by an invalid term', withTerms({ matchExpressions: [{ key: 'disk', operator: 'In' }] }), false],
    [
      'by one term though another is invalid',
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

  it('by the sum of the weights of matching terms', () => {
    const errors: string[] = [];
    const score = preferredNodeAffinity(
      [wants('disk', 5), wants('gpu', 70), wants('cpus', 20), { weight: 100, preference: {} }],
      Path.of(''),
      errors,
    );
    expect(score(node)).toBe(25);
    expect(errors).toEqual([]);
  });

  it('reports invalid terms, except those of weight zero', () => {
    const errors: string[] = [];
    preferredNodeAffinity([wants('a b', 0), wants('a b', 1)], Path.of('at'), errors);
    expect(errors).toEqual([
      expect.stringMatching(/^at\[1\]\.matchExpressions\[0\]\.key: Invalid value: "a b": name part/),
    ]);
  });
});

it('reports invalid terms of a selector', () => {
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
