import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@coxswain/api/admissionregistration/v1';
import type { KubernetesObject } from '@coxswain/apimachinery';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import { newContext, type TestContext } from '../plugin-runner.test-data.ts';
import { WebhookMetrics } from '../webhook/index.ts';
import type { ParamObjects } from './params.ts';
import { PolicyMetrics } from './policy-metrics.ts';
import type { PolicyPluginOptions } from './policy-plugin-options.ts';

const apiVersion = 'admissionregistration.k8s.io/v1';
const everything = { resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }] };

/** Matches all resources by default. */
export const validatingPolicy = (name: string, spec: object, metadata: object = {}): ValidatingAdmissionPolicy =>
  ({
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name, ...metadata },
    spec: { matchConstraints: everything, ...spec },
  }) as ValidatingAdmissionPolicy;

export const validatingBinding = (name: string, spec: object = {}): ValidatingAdmissionPolicyBinding =>
  ({
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'], ...spec },
  }) as ValidatingAdmissionPolicyBinding;

export const mutatingPolicy = (name: string, spec: object): MutatingAdmissionPolicy =>
  ({
    apiVersion,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec: { matchConstraints: everything, ...spec },
  }) as MutatingAdmissionPolicy;

export const mutatingBinding = (name: string, spec: object = {}): MutatingAdmissionPolicyBinding =>
  ({
    apiVersion,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, ...spec },
  }) as MutatingAdmissionPolicyBinding;

/** Returns the given objects as parameters of any kind. */
const paramsOf = (objects: readonly KubernetesObject[]): ParamObjects => ({
  namespaced: true,
  get: async (namespace, name) =>
    objects.find(({ metadata }) => metadata?.namespace === namespace && metadata.name === name),
  list: async (namespace) => objects.filter(({ metadata }) => metadata?.namespace === namespace),
});

export interface PolicyTest {
  readonly context: TestContext;
  readonly options: PolicyPluginOptions;
  /** The samples of a metric. */
  metric(name: string): string[];
}

/** The options of policy plug-ins, with objects in memory and the namespace `ns`. */
export function policyTest(objects: readonly KubernetesObject[], params: readonly KubernetesObject[] = []): PolicyTest {
  const context = newContext([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } }, ...objects]);
  const [metrics, conditionMetrics] = [new PolicyMetrics(), new WebhookMetrics()];
  return {
    context,
    options: { context, eventLoop: systemEventLoop, metrics, conditionMetrics, params: () => paramsOf(params) },
    metric: (name) =>
      [...metrics.families, ...conditionMetrics.families]
        .filter((family) => family.name === name)
        .flatMap((family) => [...family.samples()].map(({ labels, value }) => `${labels} ${value}`)),
  };
}
