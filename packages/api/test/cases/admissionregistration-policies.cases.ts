import type { Case, CaseSuite, Change } from '../case.ts';

const noPatch = "[JSONPatch{op: 'test', path: '/a', value: 1}]";
const rule = { operations: ['CREATE'], apiGroups: ['nobody.example.com'], apiVersions: ['v1'], resources: ['things'] };
const policy = (kind: string, spec: object) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name: `cases-${kind.toLowerCase()}` },
  spec: { matchConstraints: { resourceRules: [structuredClone(rule)] }, ...spec },
});

const on =
  (base: string) =>
  (change: Change): Case => ({ create: base, change: (object) => change(object.spec) });
const validating = on('validating');
const mutating = on('mutating');
const set = (fields: object) => validating((spec) => Object.assign(spec, fields));
const status = (value: object): Case => ({
  update: 'with status',
  subresource: 'status',
  change: (object) => {
    object.status = value;
    object.spec.failurePolicy = 'Ignore';
    object.metadata.labels = { a: 'b' };
  },
});
const fieldRefs = [
  'spec.validations[0].expression',
  '.spec',
  'spec validations',
  '..a....b',
  '....',
  "spec['a.b']",
  'spec[a]',
  'spec[1:2:3]',
  'spec[-]',
  'spec[1',
  'spec[1,2]',
  'spec[1,a]',
  'spec[?(@.a=="b")]',
  'spec[?(@.a)]',
  'spec[?(@.a)',
  'spec[?(@.a',
  'spec[?(@.a=="b)]',
  'a"b"',
  'a "b',
  "a 'b\\q'",
  'a "b\\n"',
  '1.2',
  '1.2.3',
  '+',
  'true',
  'a{b',
  'a}b',
  'a}{b',
  'a\nb',
  '%',
  'é',
  '\\a',
  '.a\\.b',
  '#',
];

export const suite: CaseSuite = {
  bases: {
    validating: { object: policy('ValidatingAdmissionPolicy', { validations: [{ expression: 'true' }] }) },
    'with status': {
      object: {
        ...policy('ValidatingAdmissionPolicy', { validations: [{ expression: 'true' }] }),
        metadata: { name: 'cases-status' },
      },
      status: { observedGeneration: 1, typeChecking: {} },
    },
    mutating: {
      object: policy('MutatingAdmissionPolicy', {
        paramKind: { apiVersion: 'rules.example.com/v1', kind: 'Limit' },
        reinvocationPolicy: 'IfNeeded',
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
      }),
    },
  },
  cases: {
    'a validating policy gets its defaults': { create: 'validating' },
    'a mutating policy gets its defaults': { create: 'mutating' },
    'status is cleared on creation': {
      create: 'validating',
      change: (object) => {
        object.status = { observedGeneration: 3 };
      },
    },
    'an empty validating policy': {
      create: 'validating',
      change: (object) => {
        delete object.spec;
      },
    },
    'an empty mutating policy': {
      create: 'mutating',
      change: (object) => {
        delete object.spec;
      },
    },
    'enumerations are checked': set({ failurePolicy: 'Perhaps' }),
    'match constraints need rules': set({ matchConstraints: {} }),
    'match constraints are checked': set({
      matchConstraints: {
        matchPolicy: 'Loosely',
        namespaceSelector: { matchLabels: { a: '-' } },
        objectSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] },
        resourceRules: [{ ...rule, resourceNames: ['a', 'a', 'b/c', '..'], operations: [] }],
        excludeResourceRules: [{ ...rule, scope: 'x', resources: [] }],
      },
    }),
    'parameters need version and kind': set({ paramKind: {} }),
    'parameters of a bad kind': set({ paramKind: { apiVersion: 'A_/V1', kind: 'no spaces' } }),
    'parameters of a version with too many parts': set({ paramKind: { apiVersion: 'a/b/c', kind: 'A' } }),
    'parameters of a group without a version': set({ paramKind: { apiVersion: 'a/', kind: 'A' } }),
    'parameters of a slash': set({ paramKind: { apiVersion: '/', kind: 'A' } }),
    'parameters of the core group': set({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }),
    'match conditions are checked': set({
      matchConditions: [
        { name: 'a', expression: '' },
        { name: '', expression: 'true' },
      ],
    }),
    'variables are checked': set({
      variables: [
        { name: '', expression: 'true' },
        { name: ' ', expression: ' ' },
        { name: '1a', expression: 'true' },
        { name: 'for', expression: '' },
        { name: 'good', expression: 'true' },
      ],
    }),
    'validations or annotations are needed': set({ validations: [] }),
    'validations are checked': set({
      validations: [
        { expression: '' },
        { expression: ' ', message: ' ', messageExpression: ' ' },
        { expression: 'true', message: 'a\nb' },
        { expression: 'true', message: '\na\n' },
        { expression: 'true', reason: 'Forbidden' },
        { expression: 'true', reason: 'Unknown' },
        { expression: 'true', reason: '' },
      ],
    }),
    'audit annotations alone are enough': set({
      validations: [],
      auditAnnotations: [{ key: 'a', valueExpression: "'x'" }],
    }),
    'audit annotations are checked': set({
      auditAnnotations: [
        { key: 'a', valueExpression: "'x'" },
        { key: 'a', valueExpression: "'x'" },
        { key: '', valueExpression: '' },
        { key: 'a b', valueExpression: ' ' },
        { key: 'long', valueExpression: `'${'x'.repeat(5120)}'` },
      ],
    }),
    'there may be at most 20 audit annotations': set({
      auditAnnotations: Array.from({ length: 21 }, (_, i) => ({ key: `k${i}`, valueExpression: "'x'" })),
    }),
    'names for static manifests are warned of': {
      create: 'validating',
      change: (object) => {
        object.metadata.name = 'a.static.k8s.io';
      },
    },
    'a mutating policy cannot match deletions': mutating((spec) => {
      spec.matchConstraints.resourceRules[0].operations = ['DELETE', 'CONNECT', 'x'];
      spec.matchConstraints.excludeResourceRules = [{ ...rule, operations: ['DELETE'] }];
    }),
    'mutations are needed': mutating((spec) => {
      spec.mutations = [];
      spec.reinvocationPolicy = 'Often';
    }),
    'reinvocation must be said': mutating((spec) => {
      delete spec.reinvocationPolicy;
    }),
    'mutations are checked': mutating((spec) => {
      spec.mutations = [
        {},
        { patchType: 'Replace' },
        { patchType: 'JSONPatch' },
        { patchType: 'JSONPatch', jsonPatch: {} },
        { patchType: 'JSONPatch', jsonPatch: { expression: noPatch }, applyConfiguration: { expression: 'Object{}' } },
        { patchType: 'ApplyConfiguration', jsonPatch: { expression: noPatch } },
        { patchType: 'ApplyConfiguration', applyConfiguration: { expression: ' ' } },
      ];
    }),
    'variables of a mutating policy are checked': mutating((spec) => {
      spec.variables = [{ name: 'a-b', expression: '1' }];
    }),
    'an update of the spec raises the generation and keeps status': {
      update: 'with status',
      change: (object) => {
        object.spec.validations[0].message = 'no';
        object.status = {};
      },
    },
    'an update is validated': {
      update: 'validating',
      change: (object) => {
        object.spec.matchConditions = [{ name: '' }];
        object.spec.validations = [];
      },
    },
    'an update of a mutating policy is validated': {
      update: 'mutating',
      change: (object) => {
        object.spec.mutations = [];
      },
    },
    'status takes nothing else along': status({ observedGeneration: 2 }),
    'conditions of status are checked': status({
      conditions: [
        { type: 'a', status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' },
        { type: 'a', status: 'Perhaps', reason: '', message: 'm' },
      ],
    }),
    'warnings of status need text and field': status({
      typeChecking: { expressionWarnings: [{}, { fieldRef: ' ', warning: 'w' }] },
    }),
    'fields in status are JSONPaths': status({
      typeChecking: { expressionWarnings: fieldRefs.map((fieldRef) => ({ fieldRef, warning: 'w' })) },
    }),
    'a validating policy is printed': { table: 'validating' },
    'a mutating policy is printed': { table: 'mutating' },
  },
};
