import type { Deployment, ReplicaSet } from '@coxswain/api/apps/v1';
import { GroupVersionKind, newControllerRef } from '@coxswain/apimachinery/meta';
import { templateHash } from '../framework/hash/pod-template-hash.ts';
import { isRollingUpdate } from './fenceposts.ts';
import { sizeOf, templateHashLabel } from './replica-sets.ts';
import { annotationsOfNewSet, maxRevision } from './revision.ts';
import { newSetSize } from './rolling.ts';

export const deploymentKind = GroupVersionKind.of('apps', 'v1', 'Deployment');

const maxNameLength = 253;

/** Returns the ReplicaSet for the deployment's template. Its name is derived from the template, so that it cannot be created twice. */
export function newReplicaSet(deployment: Deployment, oldSets: readonly ReplicaSet[]): ReplicaSet {
  const { metadata, spec, status } = deployment;
  const { template, selector, minReadySeconds } = spec!;
  const hash = templateHash(template, status?.collisionCount);
  const labels = { ...template.metadata?.labels, [templateHashLabel]: hash };
  return {
    metadata: {
      name: `${metadata.name!.slice(0, maxNameLength - 1 - hash.length)}-${hash}`,
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      ownerReferences: [newControllerRef(deployment, deploymentKind)],
      labels,
      annotations: annotationsOfNewSet(deployment, maxRevision(oldSets) + 1n),
    },
    spec: {
      replicas: isRollingUpdate(deployment) ? newSetSize(deployment, 0, oldSets) : sizeOf(deployment),
      ...(minReadySeconds !== undefined && { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [templateHashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
