import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../features/feature-gates.ts';
import type { HorizontalPodAutoscaler } from '../../generated/autoscaling/v2.ts';
import { setHorizontalPodAutoscalerDefaults } from './defaults.ts';
import { horizontalPodAutoscalerStrategy as strategy } from './horizontal-pod-autoscaler.ts';

const contextWith = (gates: Record<string, boolean>) => ({
  features: new FeatureGates(gates),
  now: () => new Date(0),
  namespace: 'n',
});

function autoscaler(spec: Partial<HorizontalPodAutoscaler['spec']> = {}): HorizontalPodAutoscaler {
  const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
  const object = { metadata: { name: 'h' }, spec: { scaleTargetRef, maxReplicas: 3, ...spec } };
  setHorizontalPodAutoscalerDefaults(object);
  return object;
}

const update = (now: HorizontalPodAutoscaler, old: HorizontalPodAutoscaler) =>
  strategy.validateUpdate!(now, old, contextWith({})).map(String);

describe('HPAScaleToZero while off', () => {
  const external = { type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } };

  it('allows minReplicas 0 if the old object has it', () => {
    const zero = autoscaler({ minReplicas: 0, metrics: [external] });
    expect(update(zero, zero)).toEqual([]);
  });
});

describe('HPAConfigurableTolerance while off', () => {
  const withTolerance = () => autoscaler({ behavior: { scaleUp: { tolerance: '0.1' } } });
  const context = contextWith({ HPAConfigurableTolerance: false });

  it('keeps the tolerance if the old object has one', () => {
    const updated = withTolerance();
    strategy.prepareForUpdate!(updated, withTolerance(), context);
    expect(updated.spec.behavior?.scaleUp?.tolerance).toBe('0.1');
  });
});

/** Older servers did not validate apiVersions of references. */
describe('references with an invalid apiVersion', () => {
  it('may stay in scaleTargetRef', () => {
    const old = autoscaler({ scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'a/b/c' } });
    expect(update(structuredClone(old), old)).toEqual([]);
  });

  it('may stay in describedObject', () => {
    const describedObject = { kind: 'Service', name: 's', apiVersion: 'a/b/c' };
    const object = { describedObject, metric: { name: 'm' }, target: { type: 'Value', value: '1' } };
    const old = autoscaler({ metrics: [{ type: 'Object', object }] });
    expect(update(structuredClone(old), old)).toEqual([]);
    expect(update(structuredClone(old), autoscaler())).toEqual([
      'spec.metrics[0].object.describedObject.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ]);
  });
});
