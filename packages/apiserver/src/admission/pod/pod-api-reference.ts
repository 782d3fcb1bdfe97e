import type { Pod, Volume, VolumeProjection } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';
import { type ReferencedKind, visitPodReferences } from '../../authorization/pod-references.ts';

/** The resource that a pod refers to, or the reason why that cannot be determined. */
interface ApiReference {
  readonly to: string;
  readonly problem?: string;
}

/** Volume types without references to API objects. */
const independentVolumes = [
  'awsElasticBlockStore',
  'azureDisk',
  'cephfs',
  'cinder',
  'downwardAPI',
  'emptyDir',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'hostPath',
  'image',
  'iscsi',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
] as const satisfies readonly (keyof Volume)[];

const dependentVolumes: readonly (readonly [keyof Volume, string])[] = [
  ['configMap', 'configmaps (via configmap volumes)'],
  ['secret', 'secrets (via secret volumes)'],
  ['csi', 'csidrivers (via CSI volumes)'],
  ['glusterfs', 'endpoints (via glusterFS volumes)'],
  ['persistentVolumeClaim', 'persistentvolumeclaims'],
  ['ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
  ['azureFile', 'secrets (via azureFile volumes)'],
];

const dependentProjections: readonly (readonly [keyof VolumeProjection, string])[] = [
  ['configMap', 'configmaps (via projected volumes)'],
  ['secret', 'secrets (via projected volumes)'],
  ['serviceAccountToken', 'serviceaccounts (via projected volumes)'],
  ['clusterTrustBundle', 'clustertrustbundles'],
  ['podCertificate', 'podcertificates'],
];

/** Returns the first reference of a pod to an API object; undefined for a pod without any. */
export function apiReferenceOf(pod: Pod): ApiReference | undefined {
  const { spec } = pod;
  if (spec?.serviceAccountName) return { to: 'serviceaccounts' };
  const kinds = new Set<ReferencedKind>();
  visitPodReferences(pod, (kind, name) => name !== undefined && kinds.add(kind));
  if (kinds.has('secret')) return { to: 'secrets' };
  if (kinds.has('configmap')) return { to: 'configmaps' };
  if (spec?.resourceClaims?.length) return { to: 'resourceclaims' };
  for (const volume of spec?.volumes ?? []) {
    const found = volumeReference(volume);
    if (found) return found;
  }
  return undefined;
}

function volumeReference(volume: Volume): ApiReference | undefined {
  if (independentVolumes.some((source) => volume[source])) return undefined;
  const dependent = dependentVolumes.find(([source]) => volume[source]);
  if (dependent) return { to: dependent[1] };
  if (!volume.projected) return unknown(`unknown volume type for volume  ${quote(volume.name)}`);
  for (const projection of volume.projected.sources ?? []) {
    const needed = dependentProjections.find(([source]) => projection[source]);
    if (needed) return { to: needed[1] };
    if (!projection.downwardAPI) return unknown(`unknown source for projected volume ${quote(volume.name)}`);
  }
  return undefined;
}

const unknown = (why: string): ApiReference => ({
  to: '',
  problem: `error checking mirror pod for API references: ${why}`,
});
