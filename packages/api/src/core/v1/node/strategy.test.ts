import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../../features/feature-gates.ts';
import type { Node } from '../../../generated/core/v1.ts';
import { nodeStrategy } from './strategy.ts';

const node = (): Node => ({ metadata: { name: 'n' }, spec: {}, status: { declaredFeatures: ['A'] } });
const context = { features: new FeatureGates({ NodeDeclaredFeatures: false }), now: () => new Date(0) };

describe('declaredFeatures while the feature is off', () => {
  it('are dropped', () => {
    const object = node();
    nodeStrategy.prepareForCreate!(object, context);
    expect(object.status?.declaredFeatures).toBeUndefined();
  });

  it('are kept if the old node has them', () => {
    const object = node();
    nodeStrategy.prepareForUpdate!(object, node(), context);
    expect(object.status?.declaredFeatures).toEqual(['A']);
  });
});

it('a node can be selected by spec.unschedulable', () => {
  const select = nodeStrategy.selectableFields!['spec.unschedulable']!;
  expect([select(node()), select({ ...node(), spec: { unschedulable: true } })]).toEqual(['false', 'true']);
});
