import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../features/feature-gates.ts';
import type { PodGroup, Workload } from '../../generated/scheduling/v1alpha2.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { behaviour } from './index.ts';

const podGroups = behaviour.strategies!.PodGroup as Strategy<PodGroup>;
const workloads = behaviour.strategies!.Workload as Strategy<Workload>;
const context = { features: FeatureGates.defaults, now: () => new Date(0), namespace: 'default' };
const gated = {
  schedulingConstraints: { topology: [{ key: 'zone' }] },
  resourceClaims: [{ name: 'c', resourceClaimName: 'c' }],
  disruptionMode: 'Pod' as const,
  priorityClassName: 'high',
  priority: 5,
};
const group = (more: object = {}): PodGroup => ({
  metadata: { name: 'g' },
  spec: { schedulingPolicy: { basic: {} }, ...more } as PodGroup['spec'],
});
const workload = (more: object = {}): Workload => ({
  metadata: { name: 'w' },
  spec: { podGroupTemplates: [{ name: 't', schedulingPolicy: { basic: {} }, ...more }] } as Workload['spec'],
});

describe('fields of features that are off by default', () => {
  it('are dropped from a new group and a new workload', () => {
    const newGroup = group(gated);
    podGroups.prepareForCreate!(newGroup, context);
    expect(newGroup).toEqual(group());
    const newWorkload = workload(gated);
    workloads.prepareForCreate!(newWorkload, context);
    expect(newWorkload).toEqual(workload());
  });

  it('are kept if the old object has them', () => {
    const updated = group(gated);
    podGroups.prepareForUpdate!(updated, group(gated), context);
    expect(updated).toEqual(group(gated));
    const updatedWorkload = workload(gated);
    workloads.prepareForUpdate!(updatedWorkload, workload(gated), context);
    expect(updatedWorkload).toEqual(workload(gated));
  });

  it('are dropped from status', () => {
    const status = podGroups.subresources!.status!;
    const updated: PodGroup = { ...group(), status: { resourceClaimStatuses: [{ name: 'c' }] } };
    status.prepareForUpdate!(updated, group(), context);
    expect(updated.status).toEqual({});
  });
});
