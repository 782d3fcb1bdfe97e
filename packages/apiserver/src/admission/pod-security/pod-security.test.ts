import type { Pod } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { readConfiguration } from '../../configuration/object-reader.ts';
import { newAdmissionContext, newAttributes, type Parts, type Told } from '../admission.test-data.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { readPodSecurityConfiguration } from './configuration.ts';
import { podSecurity } from './pod-security.ts';

const prefix = 'pod-security.kubernetes.io/';
const labelled = (labels: Record<string, string>) =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [`${prefix}${key}`, value]));
const namespace = (name: string, labels: Record<string, string> = {}): KubernetesObject => ({
  metadata: { name, labels: labelled(labels) },
});

const configuration = readPodSecurityConfiguration(
  readConfiguration(
    JSON.stringify({
      defaults: { enforce: 'baseline', 'enforce-version': 'v1.30', warn: 'restricted' },
      exemptions: { usernames: ['alice'], namespaces: ['free'], runtimeClasses: ['rc'] },
    }),
  ),
);

const context = newAdmissionContext({
  namespaces: [
    namespace('n', { audit: 'baseline', warn: 'privileged' }),
    namespace('free'),
    namespace('open', { enforce: 'privileged', warn: 'privileged' }),
    namespace('wrong', { enforce: 'strict', audit: 'much' }),
  ],
  pods: [{ metadata: { name: 'p', namespace: 'n' }, spec: { containers: [], hostPID: true } } as Pod],
});
const plugin = podSecurity(context, configuration);

const bad = { hostNetwork: true, containers: [] };
const newPod = (spec: object, parts: Parts = {}) =>
  newAttributes({
    resource: 'v1/pods',
    kind: 'Pod',
    object: { metadata: { name: 'x' }, spec } as KubernetesObject,
    ...parts,
  });

async function judged(attributes: AdmissionAttributes & Told): Promise<Told & { refused: string }> {
  let refused = '';
  try {
    await plugin.validate?.(attributes);
  } catch (error) {
    refused = (error as Error).message;
  }
  const annotations = Object.fromEntries(
    Object.entries(attributes.annotations).map(([key, value]) => [key.slice(prefix.length), value]),
  );
  return { refused, warnings: attributes.warnings, annotations };
}

const hostNetwork = 'host namespaces (hostNetwork=true)';

/** A request and its outcome, as recorded from kube-apiserver with this configuration. */
const cases: Record<string, [AdmissionAttributes & Told, Told & { refused: string }]> = {
  'a violating pod is rejected, and audited': [
    newPod(bad),
    {
      refused: `pods "x" is forbidden: violates PodSecurity "baseline:v1.30": ${hostNetwork}`,
      warnings: [],
      annotations: {
        'enforce-policy': 'baseline:v1.30',
        'audit-violations': `would violate PodSecurity "baseline:latest": ${hostNetwork}`,
      },
    },
  ],
  'users are exempt': [
    newPod(bad, { username: 'alice' }),
    { refused: '', warnings: [], annotations: { exempt: 'user' } },
  ],
  'namespaces are exempt': [
    newPod(bad, { namespace: 'free' }),
    { refused: '', warnings: [], annotations: { exempt: 'namespace' } },
  ],
  'runtime classes are exempt': [
    newPod({ ...bad, runtimeClassName: 'rc' }),
    { refused: '', warnings: [], annotations: { exempt: 'runtimeClass' } },
  ],
  'a privileged namespace has no checks': [
    newPod(bad, { namespace: 'open' }),
    { refused: '', warnings: [], annotations: { 'enforce-policy': 'privileged:latest' } },
  ],
  'invalid labels enforce the strictest level': [
    newPod(bad, { namespace: 'wrong' }),
    {
      refused: `pods "x" is forbidden: violates PodSecurity "restricted:v1.30": ${hostNetwork}`,
      warnings: [],
      annotations: {
        'enforce-policy': 'restricted:v1.30',
        error:
          'Failed to parse policy: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted, metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: "much": must be one of privileged, baseline, restricted]',
      },
    },
  ],
  'a pod in a missing namespace is rejected': [
    newPod(bad, { namespace: 'gone' }),
    {
      refused: 'Internal error occurred: failed to lookup namespace "gone"',
      warnings: [],
      annotations: { error: 'failed to lookup namespace "gone": namespace "gone" not found' },
    },
  ],
  'a violating pod template is audited': [
    newAttributes({
      resource: 'apps/v1/deployments',
      kind: 'Deployment',
      object: { metadata: { name: 'x' }, spec: { template: { spec: bad } } } as KubernetesObject,
    }),
    {
      refused: '',
      warnings: [],
      annotations: { 'audit-violations': `would violate PodSecurity "baseline:latest": ${hostNetwork}` },
    },
  ],
  'a missing pod template is accepted': [
    newAttributes({
      resource: 'v1/replicationcontrollers',
      kind: 'ReplicationController',
      object: { spec: {} } as KubernetesObject,
    }),
    { refused: '', warnings: [], annotations: {} },
  ],
  'labels of an exempt namespace cause a warning': [
    newAttributes({
      resource: 'v1/namespaces',
      kind: 'Namespace',
      namespace: 'free',
      object: namespace('free', { enforce: 'restricted', 'warn-version': 'v1.20' }),
    }),
    {
      refused: '',
      warnings: [
        'namespace "free" is exempt from Pod Security, and the policy (enforce=restricted:v1.30, warn=restricted:v1.20) will be ignored',
      ],
      annotations: {},
    },
  ],
  'labels that were invalid before are accepted': [
    newAttributes({
      resource: 'v1/namespaces',
      kind: 'Namespace',
      operation: 'UPDATE',
      namespace: 'wrong',
      object: namespace('wrong', { audit: 'much' }),
      oldObject: namespace('wrong', { audit: 'much' }),
    }),
    { refused: '', warnings: [], annotations: {} },
  ],
  'violations of existing pods cause a warning': [
    newAttributes({
      resource: 'v1/namespaces',
      kind: 'Namespace',
      operation: 'UPDATE',
      object: namespace('n', { enforce: 'baseline' }),
      oldObject: namespace('n', { enforce: 'privileged' }),
    }),
    {
      refused: '',
      warnings: [
        'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:v1.30"',
        'p: host namespaces',
      ],
      annotations: {},
    },
  ],
};

describe('PodSecurity', () => {
  for (const [sentence, [attributes, wanted]] of Object.entries(cases))
    it(sentence, async () => expect(await judged(attributes)).toEqual(wanted));
});
