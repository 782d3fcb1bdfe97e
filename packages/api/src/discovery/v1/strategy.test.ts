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

describe('the topology of an older version', () => {
  const update = (after: EndpointSlice, before: EndpointSlice) => {
    endpointSliceStrategy.prepareForUpdate!(after, before, context);
    const { nodeName, deprecatedTopology } = after.endpoints![0]!;
    return { nodeName, deprecatedTopology };
  };

  it('becomes the name of a node that was known', () => {
    expect(update(slice({ [hostname]: 'n1', a: 'b' }), slice({ [hostname]: 'n1' }))).toEqual({ nodeName: 'n1' });
  });

  it('is forgotten when it names another', () => {
    expect(update(slice({ [hostname]: 'n2' }), slice({ [hostname]: 'n1' }))).toEqual({});
  });

  it('stays while nothing is changed', () => {
    const topology = { [hostname]: 'n1' };
    expect(update(slice(topology), slice(topology))).toEqual({ deprecatedTopology: topology });
  });
});

it.each([
  ['a stranger is warned', undefined, 1],
  ['a controller is not', 'endpointslice-controller.k8s.io', 0],
])('of an address with leading zeros %s', (_, manager, warnings) => {
  const labels = manager === undefined ? undefined : { 'endpointslice.kubernetes.io/managed-by': manager };
  const object = { ...slice({}, labels), endpoints: [{ addresses: ['192.0.2.01'] }] };
  expect(endpointSliceStrategy.warningsOnUpdate!(object, object, context)).toHaveLength(warnings);
});
