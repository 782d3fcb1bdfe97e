import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { type Binding, setBindingDefaults, setPolicyDefaults } from '../v1/defaults.ts';

/** Only v1alpha1 has a default for parameterNotFoundAction; later versions require it. */
function setBindingAndParamDefaults(binding: Binding): void {
  setBindingDefaults(binding);
  if (binding.spec?.paramRef) binding.spec.paramRef.parameterNotFoundAction ??= 'Deny';
}

export const behaviour: GroupVersionBehaviour = {
  group: 'admissionregistration.k8s.io',
  version: 'v1alpha1',
  defaults: {
    ValidatingAdmissionPolicy: setPolicyDefaults,
    ValidatingAdmissionPolicyBinding: setBindingAndParamDefaults,
    MutatingAdmissionPolicy: setPolicyDefaults,
    MutatingAdmissionPolicyBinding: setBindingAndParamDefaults,
  },
};
