import type { Pod } from '@coxswain/api/core/v1';
import { timeFromDate } from '@coxswain/apimachinery/time';
import type { ControllerContext } from '../controller/controller.ts';
import { podConditionPatch, updatedPodCondition } from './updated-pod-condition.ts';

export interface EvictionReason {
  readonly reason: string;
  readonly message: string;
  /** The generation of the pod that the decision is based on. */
  readonly observedGeneration?: number;
}

/** Sets the pod's DisruptionTarget condition and then deletes the pod. The uid precondition protects another pod of the same name. */
export async function evictPod(
  { clients, clock }: Pick<ControllerContext, 'clients' | 'clock'>,
  pod: Pod,
  why: EvictionReason,
): Promise<void> {
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  const pods = clients.core.v1.pods(namespace);
  const now = timeFromDate(new Date(clock.now()));
  const condition = updatedPodCondition(pod, { type: 'DisruptionTarget', status: 'True', ...why }, now);
  if (condition) {
    await pods.patch(name, 'strategic-merge', podConditionPatch(pod, condition), { subresource: 'status' });
  }
  await pods.delete(name, { preconditions: { uid } });
}
