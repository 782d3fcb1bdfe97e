import type { Service } from '@coxswain/api/core/v1';
import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import type { KubernetesObject } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import type { Lister } from '../registry/lister.ts';
import { clusterIPResolver, endpointResolver } from './index.ts';

const listerOf = <T extends KubernetesObject>(...objects: T[]): Lister<T> => ({
  synced: Promise.resolve(),
  get: (_, name) => objects.find(({ metadata }) => metadata?.name === name),
  list: () => objects,
  onChange: () => () => {},
});

const service = (spec: Service['spec']): Lister<Service> =>
  listerOf({
    metadata: { name: 's', namespace: 'ns' },
    spec: { ports: [{ name: 'https', port: 443 }], ...spec },
  } as Service);

describe('resolving to the cluster IP', () => {
  it.each<[string, Service['spec'], number, unknown]>([
    ['an address', { type: 'ClusterIP', clusterIP: '10.0.0.9' }, 443, { host: '10.0.0.9', port: 443 }],
    ['an unknown port', { type: 'ClusterIP', clusterIP: '10.0.0.9' }, 99, 'no service port 99 found for service "s"'],
    [
      'a headless service',
      { type: 'ClusterIP', clusterIP: 'None' },
      443,
      'cannot route to service with ClusterIP "None"',
    ],
    ['an external name', { type: 'ExternalName', externalName: 'x.example' }, 99, { host: 'x.example', port: 99 }],
  ])('with %s', (_, spec, port, expected) => {
    const resolve = clusterIPResolver(service(spec));
    if (typeof expected === 'string') expect(() => resolve('ns', 's', port)).toThrow(new Error(expected).message);
    else expect(resolve('ns', 's', port)).toEqual(expected);
  });

  it('of an unknown service', () => {
    expect(() => clusterIPResolver(listerOf<Service>())('ns', 'nobody', 443)).toThrow('service "nobody" not found');
  });
});

describe('resolving to endpoints', () => {
  const slice = (name: string, addressType: string, address: string, ready?: boolean): EndpointSlice =>
    ({
      metadata: { name, namespace: 'ns', labels: { 'kubernetes.io/service-name': 's' } },
      addressType,
      endpoints: [{ addresses: [address], conditions: ready === undefined ? {} : { ready } }],
      ports: [{ name: 'https', port: 8443 }],
    }) as EndpointSlice;
  const services = service({ type: 'ClusterIP', clusterIP: '10.0.0.9', ipFamilies: ['IPv6'] });

  it('prefers the first IP family', () => {
    const slices = listerOf(slice('a', 'IPv4', '10.1.1.1'), slice('b', 'IPv6', 'fd00::1', true));
    for (const random of [0, 0.5, 0.99])
      expect(endpointResolver(services, slices, () => random)('ns', 's', 443)).toEqual({ host: 'fd00::1', port: 8443 });
  });

  it('ignores endpoints that are not ready', () => {
    const resolve = endpointResolver(services, listerOf(slice('a', 'IPv4', '10.1.1.1', false)), () => 0);
    expect(() => resolve('ns', 's', 443)).toThrow('no endpoints available for service "s"');
  });
});
