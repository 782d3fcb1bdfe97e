import { GroupResource } from '@coxswain/apimachinery';
import type { FeatureGates } from '../features/feature-gates.ts';
import { type Evaluator, objectCount } from './evaluator.ts';
import { podEvaluator } from './pod-evaluator.ts';
import { type ClaimRelations, resourceClaimEvaluator } from './resource-claim-evaluator.ts';
import { serviceEvaluator } from './service-evaluator.ts';
import { volumeClaimEvaluator } from './volume-claim-evaluator.ts';

/** The evaluators: `special` are those of resources that are more than counted, `of` returns one for any resource. */
export interface Evaluators {
  readonly special: readonly Evaluator[];
  of(groupResource: GroupResource): Evaluator;
}

/** Resources with a legacy quota name for their count. */
const counted = ['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'];

export function newEvaluators(features: FeatureGates, now: () => Date, relations: ClaimRelations): Evaluators {
  const special = [
    podEvaluator(features, now),
    serviceEvaluator,
    volumeClaimEvaluator,
    resourceClaimEvaluator(features, now, relations),
    ...counted.map((resource) => objectCount(GroupResource.of('', resource), resource)),
  ];
  const byName = new Map(special.map((evaluator) => [`${evaluator.groupResource}`, evaluator]));
  return {
    special,
    of: (groupResource) => byName.get(`${groupResource}`) ?? objectCount(groupResource),
  };
}
