import type { PersistentVolumeClaim, Pod, Volume } from '@coxswain/api/core/v1';
import { getControllerOfNoCopy } from '@coxswain/apimachinery/meta';
import type { Indexer, SharedIndexInformer } from '@coxswain/client';

const claimIndex = 'persistentVolumeClaim';

/** Returns the name of the claim that belongs to a pod's generic ephemeral volume. */
export const ephemeralClaimName = (pod: Pod, volume: Volume): string => `${pod.metadata.name}-${volume.name}`;

/** Returns the name of the volume's claim, including that of an ephemeral volume, or undefined when it uses none. */
export function claimNameOf(pod: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral && ephemeralClaimName(pod, volume);
}

/** Whether the claim was created for an ephemeral volume of the pod. Another claim may have the same name. */
export const isClaimOfPod = (pod: Pod, claim: PersistentVolumeClaim): boolean =>
  claim.metadata.namespace === pod.metadata.namespace && getControllerOfNoCopy(claim)?.uid === pod.metadata.uid;

/** The message for a claim that was not created for the pod. */
export function notClaimOfPod(pod: Pod, { metadata: { namespace, name } }: PersistentVolumeClaim): string {
  const { namespace: podNamespace, name: podName } = pod.metadata;
  return `PVC ${namespace}/${name} was not created for pod ${podNamespace}/${podName} (pod is not owner)`;
}

/** Returns the keys (`namespace/name`) of the claims that the pod uses. */
export function claimKeys(pod: Pod): string[] {
  const names = pod.spec?.volumes?.map((volume) => claimNameOf(pod, volume)).filter((name) => name !== undefined);
  return names?.map((name) => `${pod.metadata.namespace}/${name}`) ?? [];
}

/** Adds the index that `podsWithClaim` uses. Does nothing when it exists. */
export function addClaimIndex(pods: SharedIndexInformer<Pod>): void {
  if (!pods.indexer.hasIndex(claimIndex)) pods.addIndexers({ [claimIndex]: claimKeys });
}

/** Returns the pods that use the claim with this key. */
export const podsWithClaim = (pods: Indexer<Pod>, key: string): Pod[] => pods.byIndex(claimIndex, key);
