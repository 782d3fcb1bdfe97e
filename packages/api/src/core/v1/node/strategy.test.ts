import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../../features/feature-gates.ts';
import type { Node } from '../../../generated/core/v1.ts';
import { nodeStrategy } from './strategy.ts';

const node = (): Node => ({ metadata: { name: 'n' }, spec: {}, status: { declaredFeatures: ['A'] } });
const context = { features: new FeatureGates({ NodeDeclaredFeatures: false }), now: () => new Date(0) };

describe('features that a node declares while that is off', () => {
  it('are dropped', () => {
    const object = node();
    nodeStrategy.prepareForCreate!(object, context);
    expect(object.status?.declaredFeatures).toBeUndefined();
  });

  it('stay if they were there before', () => {
    const object = node();
    nodeStrategy.prepareForUpdate!(object, node(), context);
    expect(object.status?.declaredFeatures).toEqual(['A']);
  });
});

it('a node can be selected by whether pods can be scheduled on it', () => {
  const select = nodeStrategy.selectableFields!['spec.unschedulable']!;
  expect([select(node()), select({ ...node(), spec: { unschedulable: true } })]).toEqual(['false', 'true']);
});
