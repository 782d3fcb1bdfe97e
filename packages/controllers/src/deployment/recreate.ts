import type { ReplicaSet } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { isPodTerminal } from '../framework/pods.ts';
import { totalReplicas } from './replica-sets.ts';

/** Whether pods of other templates may still run, those included whose deletion has only begun. */
export const areOldPodsRunning = (oldSets: readonly ReplicaSet[], podsOf: (set: ReplicaSet) => readonly Pod[]): boolean =>
  totalReplicas(oldSets) > 0 || oldSets.some((set) => podsOf(set).some((pod) => !isPodTerminal(pod)));
