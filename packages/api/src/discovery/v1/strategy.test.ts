import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../features/feature-gates.ts';
import type { EndpointSlice } from '../../generated/discovery/v1.ts';
import { endpointSliceStrategy } from './strategy.ts';

const context = { features: FeatureGates.defaults, namespace: 'default', now: () => new Date(0) };
const slice = (topology: Record<string, string>, labels?: Record<string, string>): EndpointSlice => ({
  metadata: { name: 's', labels },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['192.0.2.1'], conditions: {}, deprecatedTopology: topology }],
});
const hostname = 'kubernetes.io/hostname';

describe('deprecatedTopology', () => {
  const update = (after: EndpointSlice, before: EndpointSlice) => {
    endpointSliceStrategy.prepareForUpdate!(after, before, context);
    const { nodeName, deprecatedTopology } = after.endpoints![0]!;
    return { nodeName, deprecatedTopology };
  };

  it('sets nodeName if the old slice has that hostname', () => {
    expect(update(slice({ [hostname]: 'n1', a: 'b' }), slice({ [hostname]: 'n1' }))).toEqual({ nodeName: 'n1' });
  });

  it('is dropped if it has another hostname', () => {
    expect(update(slice({ [hostname]: 'n2' }), slice({ [hostname]: 'n1' }))).toEqual({});
  });

  it('is kept while the endpoints are unchanged', () => {
    const topology = { [hostname]: 'n1' };
    expect(update(slice(topology), slice(topology))).toEqual({ deprecatedTopology: topology });
  });
});

it.each([
  ['causes a warning for a slice of a user', undefined, 1],
  ['causes no warning for a slice of a controller', 'endpointslice-controller.k8s.io', 0],
])('an address with leading zeros %s', (_, manager, warnings) => {
  const labels = manager === undefined ? undefined : { 'endpointslice.kubernetes.io/managed-by': manager };
  const object = { ...slice({}, labels), endpoints: [{ addresses: ['192.0.2.01'] }] };
  expect(endpointSliceStrategy.warningsOnUpdate!(object, object, context)).toHaveLength(warnings);
});
