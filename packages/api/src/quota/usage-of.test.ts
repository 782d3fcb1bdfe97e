import type { KubernetesObject } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../features/feature-gates.ts';
import type { Pod, ResourceQuotaSpec } from '../generated/core/v1.ts';
import { newEvaluators, usageOf } from './index.ts';

const pod = (name: string, cpu: string, more: Partial<Pod> = {}): Pod => ({
  metadata: { name, namespace: 'n', uid: name },
  spec: {
    containers: [{ name: 'c', resources: { requests: { cpu } } }],
    ...more.spec,
  } as NonNullable<Pod['spec']>,
  ...(more.status && { status: more.status }),
});
const claim = (owner: string, name: string): KubernetesObject =>
  ({
    metadata: {
      name,
      namespace: 'n',
      creationTimestamp: '2026-01-01T00:00:00Z',
      annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: owner, uid: owner, controller: true }],
    },
    spec: {
      devices: {
        requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 } }],
      },
    },
  }) as KubernetesObject;
const usesGpu = pod('gpu', '1', {
  spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1', 'example.com/gpu': '2' } } }] },
});

const objects: Readonly<Record<string, readonly KubernetesObject[]>> = {
  pods: [
    pod('a', '500m'),
    pod('b', '700m', { spec: { activeDeadlineSeconds: 5 } as NonNullable<Pod['spec']> }),
    pod('c', '4', { status: { phase: 'Succeeded' } }),
    usesGpu,
  ],
  configmaps: [{ metadata: { name: 'x' } }, { metadata: { name: 'y' } }],
  'deployments.apps': [{ metadata: { name: 'd' } }],
  services: [],
  'resourceclaims.resource.k8s.io': [claim('gpu', 'one'), claim('gpu', 'two')],
};
const evaluators = newEvaluators(FeatureGates.defaults, () => new Date('2026-01-01T00:00:00Z'), {
  deviceClass: (name) =>
    name === 'gpu' ? { metadata: { name }, spec: { extendedResourceName: 'example.com/gpu' } } : undefined,
  deviceClasses: () => [{ metadata: { name: 'gpu' }, spec: { extendedResourceName: 'example.com/gpu' } }],
  pod: (_, name) => (name === 'gpu' ? usesGpu : undefined),
  claims: () => (objects['resourceclaims.resource.k8s.io'] ?? []) as never,
});

const hard = (...names: string[]): ResourceQuotaSpec => ({
  hard: Object.fromEntries(names.map((name) => [name, '9'])),
});

const cases: Record<string, [ResourceQuotaSpec, Record<string, string>]> = {
  'terminated pods are counted but use no resources': [
    hard('pods', 'count/pods', 'requests.cpu', 'limits.cpu'),
    { pods: '3', 'count/pods': '4', 'requests.cpu': '2200m', 'limits.cpu': '0' },
  ],
  'only pods in the scope count': [
    { ...hard('pods', 'requests.cpu'), scopes: ['Terminating'] },
    { pods: '1', 'requests.cpu': '700m' },
  ],
  'objects of every known resource are counted': [
    hard('configmaps', 'count/configmaps', 'count/deployments.apps', 'count/boats.example.com', 'services'),
    { configmaps: '2', 'count/configmaps': '2', 'count/deployments.apps': '1', services: '0' },
  ],
  'objects that are only counted are in no scope': [
    { ...hard('configmaps', 'pods'), scopes: ['NotTerminating'] },
    { configmaps: '0', pods: '2' },
  ],
  'unknown resources are left out': [hard('requests.storage', 'limits.example.com/x'), {}],
  'devices that a pod uses are not counted again for its claim': [
    hard(
      'requests.example.com/gpu',
      'gpu.deviceclass.resource.k8s.io/devices',
      'requests.deviceclass.resource.kubernetes.io/gpu',
    ),
    {
      'requests.example.com/gpu': '4',
      'gpu.deviceclass.resource.k8s.io/devices': '4',
      'requests.deviceclass.resource.kubernetes.io/gpu': '4',
    },
  ],
};

describe('the usage of a quota', () => {
  for (const [sentence, [spec, wanted]] of Object.entries(cases))
    it(sentence, () => {
      const used = usageOf({ metadata: { name: 'q' }, spec }, (resource) => objects[`${resource}`], evaluators);
      expect(used).toEqual(wanted);
    });
});
