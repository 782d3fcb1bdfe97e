import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from '../../generated/autoscaling/v2.ts';
import { setHorizontalPodAutoscalerDefaults } from '../v2/defaults.ts';
import { horizontalPodAutoscalerConversion as conversion } from './conversion.ts';

const name = fc.constantFrom('a', 'm<&>', 'ü', '__proto__');
const amount = fc.constantFrom('1', '500m', '2Gi');
const percent = fc.integer({ min: 1, max: 100 });
const selector = fc.constantFrom(undefined, { matchLabels: { b: '2', a: '1' } });
const describedObject = fc.record({ kind: name, name, apiVersion: fc.constant('v1') });
const metric = fc
  .record({ name, selector })
  .map((m) => ({ name: m.name, ...(m.selector && { selector: m.selector }) }));

const averageTarget = amount.map((averageValue) => ({ type: 'AverageValue', averageValue }));
const anyTarget = fc.oneof(
  averageTarget,
  amount.map((value) => ({ type: 'Value', value })),
);
const resourceTarget = fc.oneof(
  averageTarget,
  percent.map((averageUtilization) => ({ type: 'Utilization', averageUtilization })),
);

/** All metrics except cpu utilization, which v1 has a field for. */
const spec: fc.Arbitrary<MetricSpec> = fc.oneof(
  fc.record({ type: fc.constant('Object'), object: fc.record({ describedObject, metric, target: anyTarget }) }),
  fc.record({ type: fc.constant('Pods'), pods: fc.record({ metric, target: averageTarget }) }),
  fc.record({ type: fc.constant('External'), external: fc.record({ metric, target: anyTarget }) }),
  fc.record({
    type: fc.constant('Resource'),
    resource: fc.record({ name: fc.constant('memory'), target: resourceTarget }),
  }),
  fc.record({
    type: fc.constant('ContainerResource'),
    containerResource: fc.record({ name: fc.constant('cpu'), container: name, target: resourceTarget }),
  }),
);

const status: fc.Arbitrary<MetricStatus> = fc.oneof(
  fc.record({
    type: fc.constant('Object'),
    object: fc.record({ describedObject, metric, current: fc.record({ value: amount }) }),
  }),
  fc.record({
    type: fc.constant('Pods'),
    pods: fc.record({ metric, current: fc.record({ averageValue: amount }) }),
  }),
  fc.record({
    type: fc.constant('Resource'),
    resource: fc.record({ name, current: fc.record({ averageUtilization: percent, averageValue: amount }) }),
  }),
);

const autoscaler: fc.Arbitrary<HorizontalPodAutoscaler> = fc
  .record({
    metrics: fc.array(spec, { minLength: 1, maxLength: 3 }),
    cpu: fc.option(percent, { nil: undefined }),
    hasBehavior: fc.boolean(),
    currentMetrics: fc.array(status, { maxLength: 2 }),
    message: name,
  })
  .map(({ metrics, cpu, hasBehavior, currentMetrics, message }) => {
    const cpuMetric = {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: cpu! } },
    };
    const object: HorizontalPodAutoscaler = {
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v2',
      metadata: { name: 'h', annotations: { note: 'x' } },
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
        maxReplicas: 3,
        metrics: cpu === undefined ? metrics : [...metrics, cpuMetric],
        ...(hasBehavior && { behavior: { scaleDown: { tolerance: '10m' } } }),
      },
      status: {
        currentReplicas: 1,
        desiredReplicas: 2,
        ...(currentMetrics.length > 0 && { currentMetrics }),
        conditions: [{ type: 'AbleToScale', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', message }],
      },
    };
    setHorizontalPodAutoscalerDefaults(object);
    return object;
  });

describe('an autoscaler', () => {
  it('is unchanged by a round trip through v1', () => {
    fc.assert(
      fc.property(autoscaler, (object) => {
        const v1 = conversion.fromHub(structuredClone(object));
        expect(v1.spec).not.toHaveProperty('metrics');
        expect(conversion.toHub(v1)).toEqual(object);
      }),
      { numRuns: 200 },
    );
  });
});
