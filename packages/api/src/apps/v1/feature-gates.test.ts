import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../features/feature-gates.ts';
import { deploymentStrategy } from './deployment.ts';
import { replicaSetStrategy } from './replica-set.ts';
import { statefulSetStrategy } from './stateful-set.ts';

/** Fields written while a feature was on are kept after it is switched off. */
describe('fields of features that were switched off', () => {
  const context = {
    features: new FeatureGates({ MaxUnavailableStatefulSet: false, DeploymentReplicaSetTerminatingReplicas: false }),
    now: () => new Date(0),
    namespace: 'n',
  };

  it('are kept in a stateful set that has them', () => {
    const statefulSet = (maxUnavailable?: number) => ({
      metadata: {},
      spec: {
        selector: {},
        template: {},
        updateStrategy: { rollingUpdate: maxUnavailable === undefined ? {} : { maxUnavailable } },
      },
    });
    const updated = statefulSet(3);
    statefulSetStrategy.prepareForUpdate!(updated, statefulSet(2), context);
    expect(updated).toEqual(statefulSet(3));
    statefulSetStrategy.prepareForUpdate!(updated, statefulSet(), context);
    expect(updated).toEqual(statefulSet());
  });

  it.each([
    ['deployment', deploymentStrategy],
    ['replica set', replicaSetStrategy],
  ])('are kept in the status of a %s that has them', (_, strategy) => {
    const object = (terminatingReplicas: number) => ({
      metadata: {},
      spec: { selector: {}, template: {} },
      status: { replicas: 1, terminatingReplicas },
    });
    const updated = object(3);
    strategy.subresources!.status!.prepareForUpdate!(updated, object(2), context);
    expect(updated).toEqual(object(3));
  });
});
