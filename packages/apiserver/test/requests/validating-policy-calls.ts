import { mergePatch } from './headers.ts';
import type { Call } from './scenario.ts';

export const group = 'admissionregistration.k8s.io/v1::';
/** Matches only the scenario's namespace, so that other scenarios are not affected. */
export const here = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': '{{ns}}' } } };
export const rule = (resources: readonly string[], more: object = {}) => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE'],
  resources,
  ...more,
});
export const configMaps = { ...here, resourceRules: [rule(['configmaps'])] };

export const policy = (name: string, spec: object): Call => ({
  send: `POST ${group}validatingadmissionpolicies`,
  body: { metadata: { name: `{{ns}}-${name}` }, spec: { matchConstraints: configMaps, ...spec } },
});
export const binding = (name: string, spec: object = {}): Call => ({
  send: `POST ${group}validatingadmissionpolicybindings`,
  body: {
    metadata: { name: `{{ns}}-${name}` },
    spec: { policyName: `{{ns}}-${name}`, validationActions: ['Deny'], ...spec },
  },
});
/** A binding that returns each failure of a policy as a warning. */
export const warning = (name: string, spec: object = {}): Call =>
  binding(name, { validationActions: ['Warn'], ...spec });
/** Waits before the call until policies take effect. */
export const inForce = (call: Call): Call => ({ ...call, settle: 'policies' });
/** Waits before the call until the real server's periodic discovery finds new kinds of parameters. */
export const discovered = (call: Call): Call => ({ ...call, settle: 'discovery' });
export const configMap = (name: string, more: object = {}, as?: string): Call => ({
  send: 'POST v1:configmaps',
  body: { metadata: { name }, ...more },
  ...(as !== undefined && { as }),
});
export const patch = (send: string, body: object): Call => ({ send: `PATCH ${send}`, body, headers: mergePatch });
/** An expression with authorization checks, which have the highest cost. */
export const checks = (...verbs: readonly string[]): string =>
  verbs.map((verb) => `!authorizer.group('').resource('pods').check('${verb}').allowed()`).join(' && ');
export const expressions = (...all: readonly string[]) => ({ validations: all.map((expression) => ({ expression })) });
