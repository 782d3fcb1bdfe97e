import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Node, Pod, PodSpec } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { appArmorProblem } from './app-armor.ts';
import { PodAdmission } from './pod-admission.ts';

const node: Node = {
  metadata: { name: 'n', labels: { 'kubernetes.io/os': 'linux', zone: 'a' } },
  spec: { taints: [{ key: 'down', effect: 'NoExecute' }] },
  status: { allocatable: { cpu: '1', memory: '1Gi', pods: '5' } },
};

interface PodOptions {
  readonly cpu?: string;
  readonly memory?: string;
  readonly isGuaranteed?: boolean;
  readonly metadata?: Pod['metadata'];
}

function podWith(name: string, spec: Partial<PodSpec> = {}, options: PodOptions = {}): Pod {
  const { cpu, memory, isGuaranteed, metadata } = options;
  const requests = { ...(cpu && { cpu }), ...(memory && { memory }) };
  const resources = { requests, ...(isGuaranteed && { limits: requests }) };
  const tolerations = [{ operator: 'Exists' as const }];
  return {
    metadata: { name, uid: name, ...metadata },
    spec: { containers: [{ name: 'c', resources }], tolerations, ...spec },
  };
}

const admission = new PodAdmission({
  allowedUnsafeSysctls: [],
  appArmorProblem: 'AppArmor is not enabled on the host',
});
const reject = (pod: Pod, others: readonly Pod[] = []) => admission.admit(pod, node, others).rejection;
const predicate = (name: string, why: string) => [name, `Predicate ${name} failed: ${why}`] as const;

describe('a pod is rejected', () => {
  const port = (hostPort: number, hostIP?: string) => ({
    containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort, ...(hostIP && { hostIP }) }] }],
  });
  const profile = { appArmorProfile: { type: 'RuntimeDefault' as const } };
  const rule = { action: 'RestartAllContainers', exitCodes: { operator: 'In' as const, values: [1] } };
  it.each<[string, Partial<PodSpec>, readonly [string, string], (readonly Pod[])?]>([
    [
      'for strict groups that the node does not have',
      { securityContext: { supplementalGroupsPolicy: 'Strict' } },
      ['SupplementalGroupsPolicyNotSupported', 'SupplementalGroupsPolicy=Strict is not supported in this node'],
    ],
    [
      'for its node selector',
      { nodeSelector: { zone: 'b' } },
      predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector"),
    ],
    [
      'for a port that another pod has',
      port(80, '10.0.0.1'),
      predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports"),
      [podWith('other', port(80))],
    ],
    [
      'for a taint that ends pods',
      { tolerations: [] },
      predicate('TaintToleration', "node(s) had taints that the pod didn't tolerate"),
    ],
    [
      'for AppArmor that the node does not have',
      { securityContext: profile },
      ['AppArmor', 'Cannot enforce AppArmor: AppArmor is not enabled on the host'],
    ],
    [
      'for AppArmor of an init container',
      { initContainers: [{ name: 'i', securityContext: profile }] },
      ['AppArmor', 'Cannot enforce AppArmor: AppArmor is not enabled on the host'],
    ],
    [
      'for features that the node does not declare',
      { containers: [{ name: 'c', restartPolicyRules: [rule] }] },
      [
        'PodFeatureUnsupported',
        'Pod requires node features that are not available: RestartAllContainersOnContainerExits',
      ],
    ],
    [
      'for its sysctls',
      { securityContext: { sysctls: [{ name: 'kernel.sem', value: '1' }] } },
      ['SysctlForbidden', 'forbidden sysctl: "kernel.sem" not allowlisted'],
    ],
  ])('%s', (_, spec, [reason, message], others) => {
    expect(reject(podWith('p', spec), others)).toEqual({ reason, message });
  });

  it('for requests of its init containers and its overhead', () => {
    const initContainers = [{ name: 'i', resources: { requests: { cpu: '900m' } } }];
    const message = "Node didn't have enough resource: cpu, requested: 1100, used: 0, capacity: 1000";
    const pod = podWith('p', { initContainers, overhead: { cpu: '200m' } }, { cpu: '100m' });
    expect(reject(pod)).toEqual({ reason: 'OutOfcpu', message });
  });
});

describe('a pod is admitted', () => {
  it.each<[string, Pod]>([
    ['that says nothing', podWith('p')],
    [
      'without AppArmor by its own wish',
      podWith('p', { securityContext: { appArmorProfile: { type: 'Unconfined' } } }),
    ],
    [
      'that runs already with AppArmor',
      {
        ...podWith('p', { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }),
        status: { phase: 'Running' },
      },
    ],
    [
      'that is static, whatever the taints',
      podWith('p', { tolerations: [] }, { metadata: { annotations: { 'kubernetes.io/config.source': 'http' } } }),
    ],
  ])('%s', (_, pod) => {
    expect(reject(pod)).toBeUndefined();
  });
});

describe('for a critical pod', () => {
  const critical = (options: PodOptions = {}, spec: Partial<PodSpec> = {}) =>
    podWith('critical', { priority: 2_000_000_000, ...spec }, options);
  const victimsFor = (pod: Pod, others: readonly Pod[]) =>
    admission.admit(pod, node, others).victims.map(({ metadata }) => metadata.name);

  const small = podWith('small', {}, { cpu: '200m' });
  const large = podWith('large', {}, { cpu: '600m' });
  const guaranteed = podWith('guaranteed', {}, { cpu: '200m', memory: '100Mi', isGuaranteed: true });
  const bestEffort = podWith('best-effort');
  const important = podWith('important', { priority: 2_000_001_000 }, { cpu: '200m' });

  it.each<[string, readonly Pod[], Pod, readonly string[]]>([
    ['nobody ends where there is room', [small], critical({ cpu: '500m' }), []],
    ['one ends that has as much as is missing', [small, large, bestEffort], critical({ cpu: '400m' }), ['small']],
    [
      'one ends rather than two',
      [small, large, podWith('s2', {}, { cpu: '200m' })],
      critical({ cpu: '500m' }),
      ['large'],
    ],
    ['those of better classes end last', [guaranteed, large, small], critical({ cpu: '800m' }), ['large', 'small']],
    [
      'those of better classes end where the others do not do',
      [guaranteed, large, small],
      critical({ cpu: '1' }),
      ['large', 'small', 'guaranteed'],
    ],
    ['those that are more important stay', [important, large], critical({ cpu: '300m' }), ['large']],
    ['any may end if there are too many', [small, large, bestEffort, guaranteed, podWith('b2')], critical(), ['b2']],
    [
      'a static pod is critical',
      [large, small],
      podWith('s', {}, { cpu: '400m', metadata: { annotations: { 'kubernetes.io/config.source': 'file' } } }),
      ['small'],
    ],
  ])('%s', (_, others, pod, expected) => {
    expect(victimsFor(pod, others)).toEqual(expected);
  });

  it('nobody ends for another', () => {
    const pod = podWith('usual', { priority: 1000 }, { cpu: '500m' });
    expect(admission.admit(pod, node, [large])).toEqual({
      rejection: {
        reason: 'OutOfcpu',
        message: "Node didn't have enough resource: cpu, requested: 500, used: 600, capacity: 1000",
      },
      victims: [],
    });
  });

  it('nobody ends if it can’t run all the same', () => {
    const pod = critical({ cpu: '500m' }, { nodeSelector: { zone: 'b' } });
    expect(admission.admit(pod, node, [large])).toMatchObject({ rejection: { reason: 'NodeAffinity' }, victims: [] });
  });

  it('nobody ends if that would not be enough', () => {
    const why = 'no set of running pods found to reclaim resources: [(res: cpu, q: 200), ]';
    expect(admission.admit(critical({ cpu: '1' }), node, [important, large])).toEqual({
      rejection: {
        reason: 'UnexpectedAdmissionError',
        message: `Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: ${why}`,
      },
      victims: [],
    });
  });
});

it('AppArmor is there if the kernel says so', async () => {
  const sys = await mkdtemp(join(tmpdir(), 'cox-sys-'));
  try {
    const problem = 'AppArmor is not enabled on the host';
    expect(await appArmorProblem(sys)).toBe(problem);
    await mkdir(join(sys, 'module/apparmor/parameters'), { recursive: true });
    await writeFile(join(sys, 'module/apparmor/parameters/enabled'), 'Y\n');
    expect(await appArmorProblem(sys)).toBe(problem);
    await mkdir(join(sys, 'kernel/security/apparmor'), { recursive: true });
    expect(await appArmorProblem(sys)).toBeUndefined();
    await writeFile(join(sys, 'module/apparmor/parameters/enabled'), 'N\n');
    expect(await appArmorProblem(sys)).toBe(problem);
  } finally {
    await rm(sys, { recursive: true });
  }
});
