import type { Pod, Volume, VolumeProjection } from '@coxswain/api/core/v1';
import { allContainers } from '../pods/all-containers.ts';

/** Returns the kind of API objects that a pod refers to, as upstream's error message names it. Undefined if it refers to none. */
export function apiReferenceOf(pod: Pod): string | undefined {
  const { spec } = pod;
  if (!spec) return undefined;
  const containers = allContainers(pod);
  const uses = (kind: 'secret' | 'configMap'): boolean =>
    containers.some(
      ({ env, envFrom }) =>
        env?.some(({ valueFrom }) => valueFrom?.[`${kind}KeyRef`]) || envFrom?.some((from) => from[`${kind}Ref`]),
    );
  if (spec.serviceAccountName) return 'serviceaccounts';
  if (spec.imagePullSecrets?.length || uses('secret')) return 'secrets';
  if (uses('configMap')) return 'configmaps';
  if (spec.resourceClaims?.length) return 'resourceclaims';
  return (spec.volumes ?? []).map(referenceOfVolume).find((reference) => reference !== undefined);
}

function referenceOfVolume({ projected, ...volume }: Volume): string | undefined {
  if (volume.configMap) return 'configmaps (via configmap volumes)';
  if (volume.secret) return 'secrets (via secret volumes)';
  if (volume.csi) return 'csidrivers (via CSI volumes)';
  if (volume.glusterfs) return 'endpoints (via glusterFS volumes)';
  if (volume.persistentVolumeClaim) return 'persistentvolumeclaims';
  if (volume.ephemeral) return 'persistentvolumeclaims (via ephemeral volumes)';
  if (volume.azureFile) return 'secrets (via azureFile volumes)';
  return (projected?.sources ?? []).map(referenceOfProjection).find((reference) => reference !== undefined);
}

function referenceOfProjection(source: VolumeProjection): string | undefined {
  if (source.configMap) return 'configmaps (via projected volumes)';
  if (source.secret) return 'secrets (via projected volumes)';
  if (source.serviceAccountToken) return 'serviceaccounts (via projected volumes)';
  if (source.clusterTrustBundle) return 'clustertrustbundles';
  if (source.podCertificate) return 'podcertificates';
  return undefined;
}
