import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../features/feature-gates.ts';
import type { Deployment } from '../../generated/apps/v1.ts';
import { applyScale, scaleFromReplicationController, scaleFromWorkload, scaleStrategy } from './scale.ts';

const metadata = {
  name: 's',
  namespace: 'n',
  uid: 'u',
  resourceVersion: '7',
  creationTimestamp: '2026-01-01T00:00:00Z',
};
const deployment: Deployment = {
  metadata: { ...metadata, labels: { l: 'm' }, generation: 3 },
  spec: {
    replicas: 3,
    selector: {
      matchLabels: { b: 'y', a: 'x' },
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['z', 'x'] },
        { key: 'q', operator: 'DoesNotExist' },
      ],
    },
    template: {},
  },
  status: { replicas: 2 },
};

describe('the scale', () => {
  it('of a workload equals the server’s response', () => {
    expect(scaleFromWorkload(deployment)).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata,
      spec: { replicas: 3 },
      status: { replicas: 2, selector: 'a=x,a in (x,z),b=y,!q' },
    });
  });

  it('of a replication controller equals the server’s response', () => {
    const controller = { metadata, spec: { replicas: 0, selector: { b: 'y', a: 'x' } } };
    expect(scaleFromReplicationController(controller)).toMatchObject({
      spec: {},
      status: { replicas: 0, selector: 'a=x,b=y' },
    });
  });

  it('of a workload with an invalid selector is an error', () => {
    const selector = { matchLabels: { 'a b': 'c' } };
    expect(() => scaleFromWorkload({ metadata, spec: { selector, template: {} } })).toThrow(
      /key: Invalid value: "a b"/,
    );
  });

  it('is applied to the workload', () => {
    const scale = { metadata: { name: 's', resourceVersion: '8' }, spec: {} };
    expect(applyScale(deployment, scale)).toEqual({
      ...deployment,
      metadata: { ...deployment.metadata, resourceVersion: '8' },
      spec: { ...deployment.spec, replicas: 0 },
    });
  });

  it('without a resourceVersion makes the update unconditional', () => {
    const scaled = applyScale(deployment, { metadata: { name: 's' }, spec: { replicas: 4 } });
    expect(scaled.metadata).not.toHaveProperty('resourceVersion');
    expect(scaled.spec?.replicas).toBe(4);
  });

  it('must not be negative', () => {
    const context = { features: FeatureGates.defaults, now: () => new Date(0) };
    const errors = scaleStrategy.validate!({ metadata, spec: { replicas: -1 } }, context);
    expect(errors.map(String)).toEqual(['spec.replicas: Invalid value: -1: must be greater than or equal to 0']);
  });

  it('has a table', () => {
    const { columns, row } = scaleStrategy.table!;
    expect(columns.map(({ name, type, format }) => [name, type, format])).toEqual([
      ['Name', 'string', undefined],
      ['Desired', 'integer', undefined],
      ['Available', 'integer', undefined],
      ['Age', 'string', undefined],
    ]);
    const now = new Date('2026-01-01T00:00:01Z');
    expect(row(scaleFromWorkload(deployment), { now })).toEqual(['s', 3, 2, '1s']);
  });
});
