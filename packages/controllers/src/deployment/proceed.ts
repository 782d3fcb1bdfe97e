import type { ReplicaSet } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { isPodTerminal } from '@coxswain/component-helpers';
import { pauseFinding } from './progress.ts';
import { isActive, sizeOf, totalReplicas } from './replica-sets.ts';
import { rollBack, rollbackRevision } from './rollback.ts';
import { newSetSize, planScaleDown } from './rolling.ts';
import type { Rollout } from './rollout.ts';
import { planScaling, wasScaled } from './scaling.ts';
import { isComplete } from './status.ts';

type PodsOf = (set: ReplicaSet) => readonly Pod[];

/**
 * Performs the next steps of a deployment. Returns the milliseconds until the next check if no event happens before. Scaling
 * comes before the rollout, so that a deployment that is scaled during a rollout keeps its proportions.
 */
export async function proceed(rollout: Rollout, podsOf: PodsOf): Promise<number | undefined> {
  const { metadata, spec } = rollout.deployment;
  const isBeingDeleted = metadata.deletionTimestamp !== undefined;
  const finding = isBeingDeleted ? undefined : pauseFinding(rollout.deployment);
  if (finding) await rollout.note(finding);
  await rollout.syncRevision();
  if (isBeingDeleted) return await rollout.syncStatus();

  const revision = rollbackRevision(rollout.deployment);
  if (spec?.paused) {
    await scale(rollout);
    if (revision === undefined) await rollout.cleanUp();
    return await rollout.syncStatus();
  }
  if (revision !== undefined) {
    if (!rollout.newSet) await rollout.createNewSet();
    return await rollBack(rollout, revision);
  }
  if (wasScaled(rollout.deployment, rollout.sets)) {
    await scale(rollout);
    return await rollout.syncStatus();
  }
  if (spec?.strategy?.type === 'Recreate') await recreate(rollout, podsOf);
  else await roll(rollout);
  return await rollout.syncRolloutStatus();
}

async function scale(rollout: Rollout): Promise<void> {
  await rollout.resize(planScaling(rollout.deployment, rollout.newSet, rollout.oldSets));
}

/** Creates as many new pods as the surge allows. Old pods are removed only when no new ones can be created. */
async function roll(rollout: Rollout): Promise<void> {
  if (!rollout.newSet) await rollout.createNewSet();
  const { deployment, newSet, oldSets } = rollout;
  if (!newSet) return;
  const size = newSetSize(deployment, sizeOf(newSet), oldSets);
  if (await rollout.resize([{ set: newSet, size }])) return;
  if (await rollout.resize(planScaleDown(deployment, newSet, oldSets))) return;
  if (isComplete(deployment, deployment.status)) await rollout.cleanUp();
}

/** Removes all old pods before it creates the first new one. */
async function recreate(rollout: Rollout, podsOf: PodsOf): Promise<void> {
  const toEmpty = rollout.oldSets.filter(isActive).map((set) => ({ set, size: 0 }));
  if (await rollout.resize(toEmpty)) return;
  if (areOldPodsRunning(rollout.oldSets, podsOf)) return;
  if (!rollout.newSet) await rollout.createNewSet();
  const { deployment, newSet } = rollout;
  if (newSet) await rollout.resize([{ set: newSet, size: sizeOf(deployment) }]);
  if (isComplete(deployment, deployment.status)) await rollout.cleanUp();
}

/** Counts terminating pods, and pods in the ReplicaSets' status that the cache does not contain yet. */
const areOldPodsRunning = (oldSets: readonly ReplicaSet[], podsOf: PodsOf): boolean =>
  totalReplicas(oldSets) > 0 || oldSets.some((set) => podsOf(set).some((pod) => !isPodTerminal(pod)));
