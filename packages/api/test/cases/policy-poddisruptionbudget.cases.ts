import type { Case, CaseSuite, Change } from '../case.ts';

const budget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web' },
  spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
};
const emptyMatch = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';

const create = (change?: Change): Case => ({ create: 'budget', ...(change && { change }) });
const spec = (fields: object): Case =>
  create((b) => {
    b.spec = fields;
  });
const update = (change: Change): Case => ({ update: 'budget', change });
const status = (change: Change): Case => ({ update: 'percent', subresource: 'status', change });
const condition = { lastTransitionTime: '2026-01-01T00:00:00Z', message: '', reason: 'R' };

export const suite: CaseSuite = {
  bases: {
    budget: { object: budget },
    percent: {
      object: { ...budget, metadata: { name: 'percent' }, spec: { maxUnavailable: '30%' } },
      status: { disruptionsAllowed: 2, currentHealthy: 5, desiredHealthy: 3, expectedPods: 5, observedGeneration: 1 },
    },
    empty: { object: { ...budget, metadata: { name: 'empty' }, spec: {} } },
  },
  cases: {
    'a budget is kept as it is': create(),
    'a budget may be empty': spec({}),
    'a budget needs no spec': create((b) => {
      delete b.spec;
      b.status = { disruptionsAllowed: 3 };
      b.metadata.generation = 7;
    }),
    'everything may be selected': spec({ selector: {}, unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
    'it is one or the other': spec({
      minAvailable: 1,
      maxUnavailable: '10%',
      selector: { matchLabels: { b: '2', a: '1' } },
      unhealthyPodEvictionPolicy: 'Guess',
    }),
    'numbers are not negative': spec({ minAvailable: -1 }),
    'percentages are percentages': spec({ maxUnavailable: 'some' }),
    'not more than everything': spec({ maxUnavailable: '101%' }),
    'not more than everything is available': spec({ minAvailable: '200%' }),
    'selectors are well formed': spec({
      selector: { matchLabels: { a: 'b c' }, matchExpressions: [{ key: 'k', operator: 'In' }] },
    }),
    'the name is only a path': create((b) => {
      b.metadata = { name: 'A_b', labels: { a: 'b' } };
    }),
    'the name is a path': create((b) => {
      b.metadata = { name: 'a%b', labels: { 'a b': 'b' } };
    }),
    'mistakes in the spec hide those in metadata': create((b) => {
      b.metadata = { name: 'a%b' };
      b.spec.minAvailable = -1;
    }),
    'a label of an older version selects nothing': spec({
      selector: { matchExpressions: [{ key: emptyMatch, operator: 'Exists' }] },
    }),
    'a label of an older version means nothing else': spec({
      selector: { matchExpressions: [{ key: emptyMatch, operator: 'DoesNotExist' }] },
    }),
    'a label of an older version is taken out': spec({
      selector: {
        matchLabels: { a: 'b' },
        matchExpressions: [
          { key: emptyMatch, operator: 'Exists' },
          { key: 'k', operator: 'Exists' },
        ],
      },
    }),
    'a change of the spec raises the generation': update((b) => {
      b.spec = { maxUnavailable: 2 };
      b.status = { disruptionsAllowed: 9 };
    }),
    'a change of labels does not': update((b) => {
      b.metadata.labels = { a: 'b' };
    }),
    'updates are judged': update((b) => {
      b.spec.minAvailable = 'x';
      b.metadata.labels = { 'a b': 'c' };
    }),
    'status is taken over, spec is not': status((b) => {
      b.spec.maxUnavailable = 4;
      b.metadata.labels = { a: 'b' };
      b.status = {
        disruptionsAllowed: 1,
        disruptedPods: { p: '2026-01-01T00:00:00Z' },
        conditions: [{ ...condition, type: 'DisruptionAllowed', status: 'True' }],
      };
    }),
    'conditions are well formed': status((b) => {
      b.status.conditions = [
        { type: 'X', status: 'Maybe', reason: '1' },
        { ...condition, type: 'X', status: 'True', observedGeneration: -1, reason: '' },
      ];
    }),
    'counts are not negative': status((b) => {
      b.status = { disruptionsAllowed: -1, currentHealthy: -2, desiredHealthy: -3, expectedPods: -4 };
      b.metadata.labels = { 'a b': 'c' };
    }),
    'a budget is printed': { table: 'budget' },
    'percentages are printed': { table: 'percent' },
    'an empty budget is printed': { table: 'empty' },
  },
};
