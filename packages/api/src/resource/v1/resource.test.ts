import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../features/feature-gates.ts';
import type { Device, ResourceClaim, ResourceSlice } from '../../generated/resource/v1.ts';
import type { StrategyContext } from '../../strategy/strategy.ts';
import { deviceTaintRuleStrategy } from '../v1beta2/device-taint-rule.ts';
import { behaviour } from './index.ts';
import { resourceClaimStrategy } from './resource-claim.ts';
import { resourceSliceStrategy } from './resource-slice.ts';

const now = () => new Date('2026-03-01T12:00:00.700Z');
const context = (off: readonly string[] = [], more: Partial<StrategyContext> = {}): StrategyContext => ({
  features: new FeatureGates(Object.fromEntries(off.map((name) => [name, false]))),
  now,
  namespace: 'default',
  ...more,
});
const slice = (...devices: object[]): ResourceSlice => ({
  metadata: { name: 's' },
  spec: {
    driver: 'example.com',
    pool: { name: 'p', generation: 0, resourceSliceCount: 1 },
    nodeName: 'n',
    devices: devices.map((fields, i) => ({ name: `d${i}`, ...fields })) as Device[],
  },
});
const claim = (exactly: object, status?: ResourceClaim['status']): ResourceClaim => ({
  metadata: { name: 'c', namespace: 'default' },
  spec: {
    devices: {
      requests: [
        { name: 'r', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1, ...exactly } },
      ],
    },
  },
  ...(status && { status }),
});

describe('fields of a disabled feature', () => {
  const taint = { key: 'a', effect: 'NoSchedule', timeAdded: '2026-01-01T00:00:00Z' };
  const cases: readonly (readonly [feature: string, field: object])[] = [
    ['DRADeviceTaints', { taints: [taint] }],
    ['DRAPartitionableDevices', { consumesCounters: [{ counterSet: 'a', counters: {} }], allNodes: true }],
    ['DRADeviceBindingConditions', { bindingConditions: ['a'], bindsToNode: true }],
    ['DRAResourceClaimDeviceStatus', { bindingFailureConditions: ['a'] }],
    ['DRAConsumableCapacity', { allowMultipleAllocations: true }],
    ['DRANodeAllocatableResources', { nodeAllocatableResourceMappings: { cpu: {} } }],
  ];

  it.each(cases)('%s: are dropped from a new slice', (feature, field) => {
    const created = slice(field);
    resourceSliceStrategy.prepareForCreate!(created, context([feature]));
    expect(created).toEqual(slice({}));
  });

  it.each(cases)('%s: are kept if the old slice uses them', (feature, field) => {
    const updated = slice(field);
    resourceSliceStrategy.prepareForUpdate!(updated, slice(field), context([feature]));
    expect(updated).toEqual(slice(field));
  });

  it('are dropped from a claim', () => {
    const created = claim({ tolerations: [{ key: 'a' }], capacity: { requests: {} }, adminAccess: false });
    resourceClaimStrategy.prepareForCreate!(created, context(['DRADeviceTaints', 'DRAConsumableCapacity']));
    expect(created).toEqual(claim({ adminAccess: false }));
  });

  it('are dropped from the status of a claim', () => {
    const result = { request: 'r', driver: 'd', pool: 'p', device: 'x' };
    const updated = claim(
      {},
      {
        allocation: { devices: { results: [{ ...result, shareID: 'i', bindingConditions: ['a'] }] } },
        devices: [{ driver: 'd', pool: 'p', device: 'y' }],
      },
    );
    const off = ['DRAConsumableCapacity', 'DRADeviceBindingConditions', 'DRAResourceClaimDeviceStatus'];
    resourceClaimStrategy.subresources!.status!.prepareForUpdate!(updated, claim({}), context(off));
    expect(updated.status).toEqual({ allocation: { devices: { results: [result] } } });
  });
});

describe('admin access', () => {
  const admin = claim({ adminAccess: true });
  const labelled = context([], { namespaceLabels: { 'resource.kubernetes.io/admin-access': 'true' } });
  const allocated = claim(
    {},
    {
      allocation: { devices: { results: [{ request: 'r', driver: 'd', pool: 'p', device: 'x', adminAccess: true }] } },
    },
  );
  const validateStatus = resourceClaimStrategy.subresources!.status!.validateUpdate!;

  it('is allowed in a namespace with the label', () => {
    expect(resourceClaimStrategy.validate!(admin, labelled)).toEqual([]);
    expect(validateStatus(allocated, claim({}), labelled)).toEqual([]);
  });

  it('is refused in other namespaces', () => {
    expect(resourceClaimStrategy.validate!(admin, context())).toHaveLength(1);
    expect(validateStatus(allocated, claim({}), context())).toHaveLength(1);
  });

  it('may stay after it was allowed', () => {
    expect(validateStatus(allocated, allocated, context())).toEqual([]);
  });
});

describe('a claim that is being deleted', () => {
  const allocation = { devices: { results: [{ request: 'r', driver: 'd', pool: 'p', device: 'x' }] } };
  const consumer = (uid: string) => ({ resource: 'pods', name: 'p', uid });
  const deleted = (...uids: string[]): ResourceClaim => ({
    ...claim({}, { allocation, reservedFor: uids.map(consumer) }),
    metadata: { name: 'c', namespace: 'default', deletionTimestamp: '2026-01-01T00:00:00Z' },
  });
  const validate = resourceClaimStrategy.subresources!.status!.validateUpdate!;

  it('cannot get new consumers', () => {
    expect(validate(deleted('a', 'b'), deleted('a'), context()).map(String)).toEqual([
      'status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
    ]);
  });

  it('can lose consumers', () => {
    expect(validate(deleted('a'), deleted('a', 'b'), context())).toEqual([]);
  });

  it('has the state deleted in its table', () => {
    expect(resourceClaimStrategy.table!.row(deleted('a'), { now: now() })[1]).toBe('deleted,allocated,reserved');
  });
});

describe('taints', () => {
  it('get the current time as timeAdded', () => {
    const created = slice({ taints: [{ key: 'a', effect: 'None' }] });
    behaviour.defaults!.ResourceSlice!(created as never, now);
    expect(created.spec.devices![0]!.taints![0]!.timeAdded).toBe('2026-03-01T12:00:00Z');
  });

  it('get a new timeAdded when the effect changes', () => {
    const rule = (effect: 'None' | 'NoExecute', timeAdded: string) => ({
      metadata: { name: 'r' },
      spec: { taint: { key: 'a', effect, timeAdded } },
    });
    const before = rule('None', '2026-01-01T00:00:00Z');
    const updated = rule('NoExecute', '2026-01-01T00:00:00Z');
    deviceTaintRuleStrategy.prepareForUpdate!(updated, before, context());
    expect(updated.spec.taint.timeAdded).toBe('2026-03-01T12:00:00Z');
    const same = rule('None', '2026-01-01T00:00:00Z');
    deviceTaintRuleStrategy.prepareForUpdate!(same, before, context());
    expect(same).toEqual(before);
  });
});
