import type { Case, CaseSuite, Change } from '../case.ts';

const rule = { operations: ['CREATE'], apiGroups: ['nobody.example.com'], apiVersions: ['v1'], resources: ['things'] };
const binding = (kind: string, name: string, spec: object) => ({
  object: {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name },
    spec: { policyName: 'policy', ...spec },
  },
});
const validating = (change: Change): Case => ({ create: 'validating', change: (object) => change(object.spec) });
const set = (fields: object) => validating((spec) => Object.assign(spec, fields));
const deny = { validationActions: ['Deny'] };

export const suite: CaseSuite = {
  bases: {
    validating: binding('ValidatingAdmissionPolicyBinding', 'cases-validating', deny),
    mutating: binding('MutatingAdmissionPolicyBinding', 'cases-mutating', {
      paramRef: { name: 'limits', namespace: 'default', parameterNotFoundAction: 'Deny' },
    }),
    'by selector': binding('ValidatingAdmissionPolicyBinding', 'cases-selector', {
      ...deny,
      paramRef: {
        selector: {
          matchLabels: { b: '1', a: '2' },
          matchExpressions: [
            { key: 'a', operator: 'In', values: ['x', 'y'] },
            { key: 'c', operator: 'Exists' },
          ],
        },
        parameterNotFoundAction: 'Allow',
      },
    }),
    'by name alone': binding('ValidatingAdmissionPolicyBinding', 'cases-name', {
      ...deny,
      paramRef: { name: 'limits', parameterNotFoundAction: 'Allow' },
    }),
  },
  cases: {
    'a validating binding is stored': { create: 'validating' },
    'a mutating binding is stored': { create: 'mutating' },
    'an empty validating binding': {
      create: 'validating',
      change: (object) => {
        object.spec = {};
      },
    },
    'an empty mutating binding': {
      create: 'mutating',
      change: (object) => {
        delete object.spec;
      },
    },
    'the policy has a name like any': set({ policyName: 'A_B' }),
    'parameters have a name or a selector': set({ paramRef: { parameterNotFoundAction: 'Deny' } }),
    'parameters have a name or a selector, not both': set({
      paramRef: { name: 'a/b', selector: { matchLabels: { '-': 'x' } }, parameterNotFoundAction: 'Perhaps' },
    }),
    'parameters may have the empty selector': set({ paramRef: { selector: {}, parameterNotFoundAction: '' } }),
    'matched resources get defaults and are checked': set({
      matchResources: { matchPolicy: 'x', resourceRules: [{ ...rule, operations: ['x'] }] },
    }),
    'matched resources may be everything': set({ matchResources: {} }),
    'a mutating binding cannot match deletions': {
      create: 'mutating',
      change: (object) => {
        object.spec.matchResources = { resourceRules: [{ ...rule, operations: ['DELETE'] }] };
      },
    },
    'actions are known and stand once': set({ validationActions: ['Deny', 'Warn', 'Deny', 'Shout'] }),
    'names for static manifests are warned of': {
      create: 'mutating',
      change: (object) => {
        object.metadata.name = 'a.static.k8s.io';
      },
    },
    'an update raises the generation': {
      update: 'validating',
      change: (object) => {
        object.spec.validationActions = ['Audit'];
      },
    },
    'an update is validated': {
      update: 'validating',
      change: (object) => {
        object.spec = {};
      },
    },
    'an update of a mutating binding is validated': {
      update: 'mutating',
      change: (object) => {
        object.spec.paramRef = {};
      },
    },
    'a validating binding is printed': { table: 'validating' },
    'a mutating binding is printed': { table: 'mutating' },
    'a binding by selector is printed': { table: 'by selector' },
    'a binding by name alone is printed': { table: 'by name alone' },
  },
};
