import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeviceRequest, ResourceClaim, ResourceSlice } from '../../generated/resource/v1.ts';
import { resourceClaimConversion, resourceSliceConversion } from './conversion.ts';

const exact = fc.record(
  {
    deviceClassName: fc.string({ minLength: 1 }),
    allocationMode: fc.constantFrom('All' as const, 'ExactCount' as const),
    count: fc.integer({ min: 1 }),
    adminAccess: fc.boolean(),
    tolerations: fc.array(fc.record({ key: fc.string() }), { minLength: 1 }),
    capacity: fc.constant({ requests: { memory: '1Gi' } }),
  },
  { requiredKeys: ['deviceClassName'] },
);
const alternative = fc.record({ name: fc.string(), deviceClassName: fc.string() });
const request: fc.Arbitrary<DeviceRequest> = fc.oneof(
  fc.record({ name: fc.string(), exactly: exact }),
  fc.record({ name: fc.string(), firstAvailable: fc.array(alternative, { minLength: 1 }) }),
  fc.record({ name: fc.string() }),
);

describe('versions of a claim', () => {
  it('are unchanged by a round trip through v1beta1', () => {
    fc.assert(
      fc.property(fc.array(request), (requests) => {
        const claim: ResourceClaim = { metadata: { name: 'c' }, spec: { devices: { requests } } };
        expect(resourceClaimConversion.toHub(resourceClaimConversion.fromHub(claim))).toEqual(claim);
      }),
    );
  });
});

describe('versions of a slice', () => {
  const attribute = fc.record({ int: fc.integer() });
  const device = fc.record(
    {
      name: fc.string(),
      attributes: fc.dictionary(fc.string(), attribute),
      nodeName: fc.string(),
      allNodes: fc.boolean(),
      bindsToNode: fc.boolean(),
    },
    { requiredKeys: ['name'] },
  );

  it('are unchanged by a round trip through v1beta1', () => {
    fc.assert(
      fc.property(fc.array(device), (devices) => {
        const slice: ResourceSlice = {
          metadata: { name: 's' },
          spec: { driver: 'd', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, devices },
        };
        expect(resourceSliceConversion.toHub(resourceSliceConversion.fromHub(slice))).toEqual(slice);
      }),
    );
  });
});
