import type { PodSpec, ResourceRequirements } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { podCgroupResources } from './pod-cgroup-resources.ts';

const settings = { cpuCFSQuota: true, cpuCFSQuotaPeriodMicroseconds: 100_000 };
const podWith = (containers: readonly ResourceRequirements[], spec: Partial<PodSpec> = {}) => ({
  metadata: { name: 'p' },
  spec: { containers: containers.map((resources, i) => ({ name: `c${i}`, resources })), ...spec },
});
const amounts = (cpu: string, memory: string) => ({ cpu, memory });

describe('the cgroup of a pod', () => {
  const cases: Record<string, [ReturnType<typeof podWith>, object]> = {
    'that is guaranteed has all of its limits': [
      podWith([{ requests: amounts('500m', '64Mi'), limits: amounts('500m', '64Mi') }]),
      { cpuShares: 512, cpuQuota: 50_000, cpuPeriod: 100_000, memory: 64 * 2 ** 20 },
    ],
    'that is burstable is limited in the resources that all containers limit': [
      podWith([
        { requests: amounts('100m', '1Mi'), limits: { memory: '64Mi' } },
        { requests: amounts('100m', '1Mi'), limits: { cpu: '1', memory: '64Mi' } },
      ]),
      { cpuShares: 204, memory: 128 * 2 ** 20 },
    ],
    'that is burstable is limited by the limits of the pod itself': [
      podWith([{ requests: amounts('100m', '1Mi') }], { resources: { limits: amounts('1', '1Gi') } }),
      { cpuShares: 102, cpuQuota: 100_000, cpuPeriod: 100_000, memory: 2 ** 30 },
    ],
    'that is best-effort has the lowest CPU shares and no limits': [podWith([{}]), { cpuShares: 2 }],
    'that requests huge pages is limited to them': [
      podWith([{ requests: { cpu: '1', 'hugepages-2Mi': '4Mi' }, limits: { 'hugepages-2Mi': '4Mi' } }]),
      { cpuShares: 1024, hugePages: new Map([[2 * 2 ** 20, 4 * 2 ** 20]]) },
    ],
  };
  it.each(Object.entries(cases))('%s', (_, [pod, expected]) => {
    expect(podCgroupResources(pod, settings)).toEqual({ hugePages: new Map(), ...expected });
  });

  it('has no CPU quota if quotas are disabled', () => {
    const pod = podWith([{ requests: amounts('1', '1Mi'), limits: amounts('1', '1Mi') }]);
    expect(podCgroupResources(pod, { ...settings, cpuCFSQuota: false }).cpuQuota).toBe(-1);
  });
});
