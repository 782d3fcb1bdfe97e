import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { allContainers } from '../pods/all-containers.ts';
import type { ConfigSource } from './config-source.ts';
import type { VolumeSpec } from './plugins/volume-plugin.ts';
import type { VolumeApi } from './sources/volume-api.ts';

interface SpecContext {
  readonly config: ConfigSource;
  readonly api: Pick<VolumeApi, 'persistentVolume'>;
  readonly signal: AbortSignal;
}

const protectionFinalizer = 'kubernetes.io/pvc-protection';

/** Finds out what a volume of a pod is: for a claim, the PersistentVolume that it is bound to. Rejects with why it is not known yet. */
export async function volumeSpec(pod: Pod, volume: Volume, context: SpecContext): Promise<VolumeSpec> {
  const { name, persistentVolumeClaim, ephemeral } = volume;
  const claimName = persistentVolumeClaim?.claimName ?? (ephemeral && `${pod.metadata.name}-${name}`);
  if (claimName === undefined) return { name, volume, readOnly: false };
  const namespace = pod.metadata.namespace ?? '';
  const inContext = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      context.signal.throwIfAborted();
      throw new Error(`error processing PVC ${namespace}/${claimName}: ${messageOf(error)}`, { cause: error });
    }
  };
  const claim = await inContext(boundClaim(namespace, claimName, context));
  if (ephemeral) checkOwner(claim, pod);
  const persistentVolume = await inContext(volumeOf(claim, context));
  const mode = persistentVolume.spec?.volumeMode ?? 'Filesystem';
  if (mode !== 'Filesystem' && isMounted(pod, name)) {
    throw new Error(`volume ${name} has volumeMode ${mode}, but is specified in volumeMounts`);
  }
  if (mode !== 'Block' && isDevice(pod, name)) {
    throw new Error(`volume ${name} has volumeMode ${mode}, but is specified in volumeDevices`);
  }
  if (mode === 'Block') throw new Error(`volume ${name} has volumeMode Block, which this kubelet does not support`);
  const readOnly = persistentVolumeClaim?.readOnly === true;
  return { name: persistentVolume.metadata.name ?? '', persistentVolume, readOnly };
}

/** True if a container of the pod has the volume mounted. Others need not be mounted on the node. */
export const isUsed = (pod: Pod, volume: string): boolean => isMounted(pod, volume) || isDevice(pod, volume);

async function boundClaim(namespace: string, name: string, { config }: SpecContext): Promise<PersistentVolumeClaim> {
  const failed = (why: string): Error => new Error(`failed to fetch PVC from API server: ${why}`);
  const claim = await config.claim(namespace, name).catch((error: unknown) => {
    throw failed(messageOf(error));
  });
  if (!claim) throw failed(`persistentvolumeclaims "${name}" not found`);
  // With the finalizer, the claim stays as long as pods use it.
  const { deletionTimestamp, finalizers } = claim.metadata;
  if (deletionTimestamp && !finalizers?.includes(protectionFinalizer)) throw new Error('PVC is being deleted');
  if (claim.status?.phase !== 'Bound') throw new Error('PVC is not bound');
  if (!claim.spec?.volumeName) throw new Error('PVC has empty pvc.Spec.VolumeName');
  return claim;
}

/** Throws if the claim was made by somebody else for another purpose. */
function checkOwner({ metadata }: PersistentVolumeClaim, pod: Pod): void {
  const controller = metadata.ownerReferences?.find((owner) => owner.controller);
  if (metadata.namespace === pod.metadata.namespace && controller?.uid === pod.metadata.uid) return;
  throw new Error(
    `PVC ${metadata.namespace}/${metadata.name} was not created for pod ${pod.metadata.namespace}/${pod.metadata.name} (pod is not owner)`,
  );
}

async function volumeOf(claim: PersistentVolumeClaim, { api, signal }: SpecContext): Promise<PersistentVolume> {
  const { volumeName: name = '' } = claim.spec ?? {};
  const failed = (why: string): Error => new Error(`failed to fetch PV ${name} from API server: ${why}`);
  const volume = await api.persistentVolume(name, signal).catch((error: unknown) => {
    throw failed(messageOf(error));
  });
  if (!volume) throw failed(`persistentvolumes "${name}" not found`);
  const { claimRef } = volume.spec ?? {};
  if (!claimRef) {
    throw new Error(
      `found PV object ${name} but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`,
    );
  }
  if (claimRef.uid !== claim.metadata.uid) {
    throw new Error(
      `found PV object ${name} but its pv.Spec.ClaimRef.UID ${claimRef.uid} does not point to claim.UID ${claim.metadata.uid}`,
    );
  }
  return volume;
}

const isMounted = (pod: Pod, volume: string): boolean =>
  allContainers(pod).some(({ volumeMounts }) => volumeMounts?.some(({ name }) => name === volume));

const isDevice = (pod: Pod, volume: string): boolean =>
  allContainers(pod).some(({ volumeDevices }) => volumeDevices?.some(({ name }) => name === volume));
