import type { Container, EphemeralContainer, PersistentVolume, Pod, Volume } from '@coxswain/api/core/v1';

/** Kinds of objects that a node may access because its pods refer to them. */
export type ReferencedKind = 'secret' | 'configmap' | 'pvc' | 'serviceAccount' | 'resourceclaim';

type Report = (kind: ReferencedKind, name: string | undefined) => void;

/** Reports all objects in the pod's namespace that its node needs to run it. */
export function visitPodReferences(pod: Pod, report: Report): void {
  const { spec, status } = pod;
  if (!spec) return;
  report('serviceAccount', spec.serviceAccountName);
  for (const { name } of spec.imagePullSecrets ?? []) report('secret', name);
  for (const container of [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ]) {
    visitContainer(container, report);
  }
  for (const volume of spec.volumes ?? []) visitVolume(volume, pod.metadata.name ?? '', report);
  for (const claim of spec.resourceClaims ?? []) {
    const made = claim.resourceClaimTemplateName !== undefined ? status?.resourceClaimStatuses : undefined;
    report(
      'resourceclaim',
      claim.resourceClaimName ?? made?.find(({ name }) => name === claim.name)?.resourceClaimName,
    );
  }
  report('resourceclaim', status?.extendedResourceClaimStatus?.resourceClaimName);
}

function visitContainer({ envFrom = [], env = [] }: Container | EphemeralContainer, report: Report): void {
  for (const { secretRef, configMapRef } of envFrom) {
    report('secret', secretRef?.name);
    report('configmap', configMapRef?.name);
  }
  for (const { valueFrom } of env) {
    report('secret', valueFrom?.secretKeyRef?.name);
    report('configmap', valueFrom?.configMapKeyRef?.name);
  }
}

function visitVolume(volume: Volume, podName: string, report: Report): void {
  report('secret', volume.secret?.secretName);
  report('secret', volume.azureFile?.secretName);
  report('secret', volume.csi?.nodePublishSecretRef?.name);
  for (const source of [
    volume.cephfs,
    volume.cinder,
    volume.flexVolume,
    volume.rbd,
    volume.scaleIO,
    volume.iscsi,
    volume.storageos,
  ]) {
    report('secret', source?.secretRef?.name);
  }
  report('configmap', volume.configMap?.name);
  for (const { secret, configMap } of volume.projected?.sources ?? []) {
    report('secret', secret?.name);
    report('configmap', configMap?.name);
  }
  if (volume.persistentVolumeClaim) report('pvc', volume.persistentVolumeClaim.claimName);
  else if (volume.ephemeral) report('pvc', `${podName}-${volume.name}`);
}

/** Reports all secrets that a node needs to mount the volume. */
export function visitVolumeSecrets(volume: PersistentVolume, report: (namespace: string, name: string) => void): void {
  const { spec } = volume;
  if (!spec) return;
  const claimNamespace = spec.claimRef?.namespace ?? '';
  const tell = (reference: { name?: string; namespace?: string | null } | undefined, otherwise: string) => {
    if (reference?.name) report(reference.namespace || otherwise, reference.name);
  };
  // For these sources, a secret without a namespace is in that of the claim.
  for (const source of [spec.cephfs, spec.flexVolume, spec.rbd, spec.scaleIO, spec.iscsi]) {
    tell(source?.secretRef, claimNamespace);
  }
  for (const source of [spec.cinder, spec.storageos]) tell(source?.secretRef, '');
  tell({ name: spec.azureFile?.secretName, namespace: spec.azureFile?.secretNamespace }, claimNamespace);
  // Only secrets for the node; those for the controller are left out.
  tell(spec.csi?.nodePublishSecretRef, '');
  tell(spec.csi?.nodeStageSecretRef, '');
  tell(spec.csi?.nodeExpandSecretRef, '');
}
