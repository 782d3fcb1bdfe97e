import type { CaseSuite } from '../case.ts';

const noPatch = "[JSONPatch{op: 'test', path: '/a', value: 1}]";
const rule = { operations: ['CREATE'], apiGroups: ['nobody.example.com'], apiVersions: ['v1'], resources: ['things'] };
const constraints = { resourceRules: [rule], excludeResourceRules: [{ ...rule, scope: 'Cluster' }] };
const specs = {
  MutatingAdmissionPolicy: {
    matchConstraints: constraints,
    reinvocationPolicy: 'Never',
    mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: noPatch } }],
  },
  MutatingAdmissionPolicyBinding: { policyName: 'p', matchResources: constraints, paramRef: { name: 'a' } },
};
const versions = ['v1', 'v1beta1', 'v1alpha1'];
const all = versions.flatMap((version) => Object.entries(specs).map(([kind, spec]) => ({ version, kind, spec })));

export const suite: CaseSuite = {
  bases: Object.fromEntries(
    all.map(({ version, kind, spec }) => [
      `${version} ${kind}`,
      {
        object: {
          apiVersion: `admissionregistration.k8s.io/${version}`,
          kind,
          metadata: { name: `cases-${kind.toLowerCase()}` },
          spec,
        },
      },
    ]),
  ),
  cases: Object.fromEntries(
    all.map(({ version, kind }) => [`${kind} of ${version} gets its defaults`, { create: `${version} ${kind}` }]),
  ),
};
