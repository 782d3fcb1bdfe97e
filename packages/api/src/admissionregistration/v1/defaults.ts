import type { LabelSelector } from '@coxswain/apimachinery';

interface Selectors {
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
}

interface Rule {
  readonly resourceNames?: readonly string[];
  scope?: string;
}

interface MatchResources extends Selectors {
  resourceRules?: readonly Rule[];
  excludeResourceRules?: readonly Rule[];
}

/** The fields with defaults that both kinds of policies have in every version. */
export interface Policy {
  spec?: { failurePolicy?: string; matchConstraints?: MatchResources };
}

/** The fields with defaults that both kinds of bindings have in every version. */
export interface Binding {
  spec?: { matchResources?: MatchResources; paramRef?: { name?: string; parameterNotFoundAction?: string } };
}

interface Webhook extends Selectors {
  failurePolicy?: string;
  timeoutSeconds?: number;
  rules?: readonly Rule[];
  clientConfig?: { url?: string; service?: { port?: number } };
  sideEffects?: string;
  admissionReviewVersions?: string[];
  reinvocationPolicy?: string;
}

/** The fields with defaults that both kinds of webhook configurations have in every version. */
export interface WebhookConfiguration {
  webhooks?: readonly Webhook[];
}

export function setPolicyDefaults(policy: Policy): void {
  policy.spec ??= {};
  policy.spec.failurePolicy ??= 'Fail';
  setMatchResourcesDefaults(policy.spec.matchConstraints);
}

export function setBindingDefaults(binding: Binding): void {
  setMatchResourcesDefaults(binding.spec?.matchResources);
}

function setMatchResourcesDefaults(match: MatchResources | undefined): void {
  if (!match) return;
  setSelectorDefaults(match, 'Equivalent');
  setRuleDefaults(match.resourceRules);
  setRuleDefaults(match.excludeResourceRules);
}

function setSelectorDefaults(match: Selectors, matchPolicy: string): void {
  match.matchPolicy ??= matchPolicy;
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
}

function setRuleDefaults(rules: readonly Rule[] | undefined): void {
  for (const rule of rules ?? []) rule.scope ??= '*';
}

/** The defaults that differ between versions. */
type WebhookDefaults = Required<Pick<Webhook, 'failurePolicy' | 'matchPolicy' | 'timeoutSeconds'>>;

/** Sets the defaults that both kinds of webhook configurations share. */
export function setWebhookDefaults({ webhooks }: WebhookConfiguration, defaults: WebhookDefaults): void {
  for (const webhook of webhooks ?? []) {
    webhook.failurePolicy ??= defaults.failurePolicy;
    setSelectorDefaults(webhook, defaults.matchPolicy);
    webhook.timeoutSeconds ??= defaults.timeoutSeconds;
    setRuleDefaults(webhook.rules);
    if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= 443;
  }
}

/** Sets the defaults that only mutating webhooks have. */
export function setReinvocationDefaults({ webhooks }: WebhookConfiguration): void {
  for (const webhook of webhooks ?? []) webhook.reinvocationPolicy ??= 'Never';
}

function setStrictDefaults(configuration: WebhookConfiguration): void {
  setWebhookDefaults(configuration, { failurePolicy: 'Fail', matchPolicy: 'Equivalent', timeoutSeconds: 10 });
}

export const defaults = {
  MutatingWebhookConfiguration: (configuration: WebhookConfiguration): void => {
    setStrictDefaults(configuration);
    setReinvocationDefaults(configuration);
  },
  ValidatingWebhookConfiguration: setStrictDefaults,
  ValidatingAdmissionPolicy: setPolicyDefaults,
  ValidatingAdmissionPolicyBinding: setBindingDefaults,
  MutatingAdmissionPolicy: setPolicyDefaults,
  MutatingAdmissionPolicyBinding: setBindingDefaults,
};
