import type { Deployment, ReplicaSet } from '@coxswain/api/apps/v1';
import { isSameTemplate, withoutHash } from './replica-sets.ts';
import { annotationsAfterRollback, lastRevision, parseRevision, revisionOf, rollbackToAnnotation } from './revision.ts';
import type { Rollout } from './rollout.ts';

/** Returns the revision in the deprecated rollback annotation (zero means the previous one), or undefined without a valid one. */
export function rollbackRevision({ metadata }: Deployment): bigint | undefined {
  return parseRevision(metadata.annotations?.[rollbackToAnnotation] ?? '');
}

/**
 * Restores the deployment's template of that revision. The rollback annotation is removed in any case. (`kubectl rollout undo`
 * does not use this: it changes the template itself.)
 */
export async function rollBack(rollout: Rollout, asked: bigint): Promise<undefined> {
  const { deployment, sets } = rollout;
  const revision = asked || lastRevision(sets);
  const set = revision === 0n ? undefined : sets.find((set) => revisionOf(set) === revision);
  if (!set) {
    const message = revision === 0n ? 'Unable to find last revision.' : 'Unable to find the revision to rollback to.';
    rollout.tell('Warning', 'DeploymentRollbackRevisionNotFound', message);
    await rollout.update(withoutRequest(deployment));
    return;
  }
  const { name } = deployment.metadata;
  if (isSameTemplate(deployment.spec?.template, set.spec?.template)) {
    const message = `The rollback revision contains the same template as current deployment "${name}"`;
    rollout.tell('Warning', 'DeploymentRollbackTemplateUnchanged', message);
    await rollout.update(withoutRequest(deployment));
    return;
  }
  await rollout.update(withoutRequest(withTemplateOf(deployment, set)));
  rollout.tell('Normal', 'DeploymentRollback', `Rolled back deployment "${name}" to revision ${revision}`);
}

function withTemplateOf(deployment: Deployment, set: ReplicaSet): Deployment {
  return {
    ...deployment,
    metadata: { ...deployment.metadata, annotations: annotationsAfterRollback(deployment, set) },
    spec: { ...deployment.spec!, template: withoutHash(set.spec?.template) },
  };
}

function withoutRequest(deployment: Deployment): Deployment {
  const { [rollbackToAnnotation]: _, ...annotations } = deployment.metadata.annotations ?? {};
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}
