import { MAX_FIELD_ERRORS } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../../features/feature-gates.ts';
import type { Container, Pod, PodSpec } from '../../../generated/core/v1.ts';
import { judgeCreate, judgeUpdate } from '../../../strategy/judge.ts';
import { setPodDefaults } from './defaults.ts';
import { podStrategy } from './pod-strategy.ts';

const context = { features: FeatureGates.defaults, namespace: 'default', now: () => new Date(0) };

function pod(spec: Partial<PodSpec>, container: Partial<Container> = {}): Pod {
  const containers = [{ name: 'web', image: 'nginx:1', resources: {}, ...container }];
  const metadata = { name: 'web', namespace: 'default', resourceVersion: '1' };
  const made: Pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, ...spec } };
  setPodDefaults(made);
  return made;
}

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** Pods of up to three megabytes, the limit of a request, must be validated fast and without exhausting memory. */
describe('a pod with very many', () => {
  const cases: Readonly<Record<string, readonly [make: () => Pod, errors: number, warnings: number]>> = {
    'wrong variables': [() => pod({}, { env: many(150_000, () => ({ name: '=' })) }), MAX_FIELD_ERRORS, 0],
    'variables of one name': [() => pod({}, { env: many(150_000, () => ({ name: 'A' })) }), 0, 149_999],
    // Each port but the first causes one warning per earlier port, up to a thousand.
    'definitions of one port': [() => pod({}, { ports: many(100_000, () => ({ containerPort: 1 })) }), 0, 1035],
    'files below another file': [
      () => {
        const items = many(50_000, (i) => ({ key: 'k', path: i === 0 ? 'p' : `p/${i}` }));
        return pod({ volumes: [{ name: 'a', configMap: { name: 'x', items } }] });
      },
      0,
      1000,
    ],
    'mounts and devices of unknown volumes': [
      () =>
        pod(
          {},
          {
            volumeMounts: many(20_000, (i) => ({ name: `a${i}`, mountPath: `/a${i}` })),
            volumeDevices: many(20_000, (i) => ({ name: `b${i}`, devicePath: `/b${i}` })),
          },
        ),
      MAX_FIELD_ERRORS,
      0,
    ],
    'spread constraints': [
      () => {
        const constraint = { maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' as const, labelSelector: {} };
        return pod({ topologySpreadConstraints: many(30_000, (i) => ({ ...constraint, topologyKey: `k${i}` })) });
      },
      0,
      0,
    ],
    'claims for devices': [
      () =>
        pod(
          { resourceClaims: many(10_000, (i) => ({ name: `c${i}`, resourceClaimName: 'x' })) },
          { resources: { claims: many(20_000, (i) => ({ name: `x${i}` })) } },
        ),
      MAX_FIELD_ERRORS,
      0,
    ],
    tolerations: [
      () => pod({ tolerations: many(20_000, (i) => ({ key: `k${i}`, operator: 'Exists' as const })) }),
      0,
      0,
    ],
  };

  it.each(Object.entries(cases))('%s', (_, [make, errors, warnings]) => {
    const created = judgeCreate(podStrategy, make(), context);
    expect([created.errors.length, created.warnings.length]).toEqual([errors, warnings]);
    expect(judgeUpdate(podStrategy, make(), make(), context).errors).toHaveLength(errors);
  });
});
