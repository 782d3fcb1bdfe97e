import type { CaseSuite } from '../case.ts';

const rule = { operations: ['CREATE'], apiGroups: ['nobody.example.com'], apiVersions: ['v1'], resources: ['things'] };
const metadata = { name: 'a.static.k8s.io' };
const object = (kind: string, body: object) => ({
  object: { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata, ...body },
});
const constraints = { resourceRules: [rule] };

export const suite: CaseSuite = {
  features: { ManifestBasedAdmissionControlConfig: true },
  bases: {
    configuration: object('MutatingWebhookConfiguration', { webhooks: [] }),
    policy: object('ValidatingAdmissionPolicy', {
      spec: { matchConstraints: constraints, validations: [{ expression: 'true' }] },
    }),
    binding: object('MutatingAdmissionPolicyBinding', { spec: { policyName: 'p' } }),
  },
  cases: {
    'a configuration with a reserved name is refused': { create: 'configuration' },
    'a policy with a reserved name is refused': { create: 'policy' },
    'a binding with a reserved name is refused': { create: 'binding' },
    'a reserved name is refused after everything else': {
      create: 'binding',
      change: (binding) => {
        binding.spec.policyName = '';
      },
    },
  },
};
