import { describe, expect, it } from 'vitest';
import { ingressFromHub, ingressToHub } from './ingress-conversion.ts';

const path = (backend: object) => ({ path: '/', pathType: 'Prefix', backend });
const old = (backend: object) => ({
  metadata: {},
  spec: { backend, rules: [{ host: 'a', http: { paths: [path(backend)] } }, {}] },
});
const hub = (backend: object) => ({
  metadata: {},
  spec: { defaultBackend: backend, rules: [{ host: 'a', http: { paths: [path(backend)] } }, {}] },
});

/** Backends in v1beta1 and in v1. */
const backends: Record<string, readonly [object, object]> = {
  'by number': [{ serviceName: 'web', servicePort: 80 }, { service: { name: 'web', port: { number: 80 } } }],
  'by name': [{ serviceName: 'web', servicePort: 'http' }, { service: { name: 'web', port: { name: 'http' } } }],
  'without a port': [{ serviceName: 'web', servicePort: 0 }, { service: { name: 'web', port: {} } }],
  'that is a resource': [
    { servicePort: 0, resource: { kind: 'Bucket', name: 'b' } },
    { resource: { kind: 'Bucket', name: 'b' } },
  ],
};

describe.each(Object.entries(backends))('a backend %s', (_, [before, after]) => {
  it('is converted to v1', () => {
    expect(ingressToHub(old(before) as never)).toEqual(hub(after));
  });

  it('is converted back', () => {
    expect(ingressFromHub(hub(after) as never)).toEqual(old(before));
  });
});

it('an empty spec stays empty', () => {
  expect(ingressToHub({ metadata: {} })).toEqual({ metadata: {}, spec: {} });
  expect(ingressFromHub({ metadata: {}, spec: { ingressClassName: 'x' } })).toEqual({
    metadata: {},
    spec: { ingressClassName: 'x' },
  });
});
