import type { PersistentVolumeClaim, Pod, Volume } from '@coxswain/api/core/v1';
import { getControllerOfNoCopy } from '@coxswain/apimachinery/meta';
import type { Indexer, SharedIndexInformer } from '@coxswain/client';

const claimIndex = 'persistentVolumeClaim';

/** The claim that a pod's generic ephemeral volume is made by. */
export const ephemeralClaimName = (pod: Pod, volume: Volume): string => `${pod.metadata.name}-${volume.name}`;

/** The claim that the volume is of, be it the pod's own or not; undefined when it is of none. */
export function claimNameOf(pod: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral && ephemeralClaimName(pod, volume);
}

/** Whether the claim was made for an ephemeral volume of the pod, and not by somebody else under the same name. */
export const isClaimOfPod = (pod: Pod, claim: PersistentVolumeClaim): boolean =>
  claim.metadata.namespace === pod.metadata.namespace && getControllerOfNoCopy(claim)?.uid === pod.metadata.uid;

/** What is said when it was not. */
export function notClaimOfPod(pod: Pod, { metadata: { namespace, name } }: PersistentVolumeClaim): string {
  const { namespace: podNamespace, name: podName } = pod.metadata;
  return `PVC ${namespace}/${name} was not created for pod ${podNamespace}/${podName} (pod is not owner)`;
}

/** The claims that a pod names, as `namespace/name`. */
export function claimKeys(pod: Pod): string[] {
  const names = pod.spec?.volumes?.map((volume) => claimNameOf(pod, volume)).filter((name) => name !== undefined);
  return names?.map((name) => `${pod.metadata.namespace}/${name}`) ?? [];
}

/** Lets `podsWithClaim` find pods without going through all of them. Harmless when called twice. */
export function addClaimIndex(pods: SharedIndexInformer<Pod>): void {
  if (!pods.indexer.hasIndex(claimIndex)) pods.addIndexers({ [claimIndex]: claimKeys });
}

/** The pods that name the claim of that key. */
export const podsWithClaim = (pods: Indexer<Pod>, key: string): Pod[] => pods.byIndex(claimIndex, key);
