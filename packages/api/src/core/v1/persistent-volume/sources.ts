import {
  type ErrorList,
  forbidden,
  invalid,
  isDns1123Label,
  isDns1123Subdomain,
  type Path,
  required,
  validateNamespaceName,
} from '@coxswain/apimachinery';
import type {
  AzureFilePersistentVolumeSource,
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  LocalVolumeSource,
  PersistentVolumeSpec,
  SecretReference,
} from '../../../generated/core/v1.ts';
import { invalidEach, requiredFields } from '../checks.ts';
import { validatePathNoBacksteps } from '../volume/path-rules.ts';
import {
  initiatorTooLong,
  validateAWSElasticBlockStoreVolumeSource,
  validateAzureDiskVolumeSource,
  validateCSIDriverName,
  validateFCVolumeSource,
  validateFlexVolumeSource,
  validateFlockerVolumeSource,
  validateGCEPersistentDiskVolumeSource,
  validateHostPathVolumeSource,
  validateISCSIVolumeSource,
  validateNFSVolumeSource,
  validateQuobyteVolumeSource,
  validateStorageOSVolumeSource,
} from '../volume/volume-sources.ts';

type SourceName = (typeof sourceOrder)[number];
type Rule<K extends SourceName> = (
  source: NonNullable<PersistentVolumeSpec[K]>,
  path: Path,
  volumeName: string,
) => ErrorList;

/** In upstream's order: of several sources, the first is validated and the others are forbidden. */
const sourceOrder = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const;

/** The fields of a PersistentVolumeSpec that hold a volume source. */
export const sourceNames: readonly SourceName[] = sourceOrder;

const rules: { readonly [K in SourceName]: Rule<K> } = {
  hostPath: validateHostPathVolumeSource,
  gcePersistentDisk: validateGCEPersistentDiskVolumeSource,
  awsElasticBlockStore: validateAWSElasticBlockStoreVolumeSource,
  glusterfs: validateGlusterfs,
  flocker: validateFlockerVolumeSource,
  nfs: validateNFSVolumeSource,
  rbd: (source, path) => requiredFields(path, source, ['monitors', 'image']),
  quobyte: validateQuobyteVolumeSource,
  cephfs: (source, path) => requiredFields(path, source, ['monitors']),
  iscsi: validateISCSI,
  cinder: (source, path) => [
    ...requiredFields(path, source, ['volumeID']),
    ...requiredReference(source.secretRef, path.child('secretRef')),
  ],
  fc: validateFCVolumeSource,
  flexVolume: validateFlexVolumeSource,
  azureFile: validateAzureFile,
  vsphereVolume: (source, path) => requiredFields(path, source, ['volumePath']),
  photonPersistentDisk: (source, path) => requiredFields(path, source, ['pdID']),
  portworxVolume: (source, path) => requiredFields(path, source, ['volumeID']),
  azureDisk: validateAzureDiskVolumeSource,
  scaleIO: (source, path) => requiredFields(path, source, ['gateway', 'system', 'volumeName']),
  local: validateLocal,
  storageos: ({ secretRef, ...source }, path) => [
    ...validateStorageOSVolumeSource(source, path),
    ...requiredReference(secretRef, path.child('secretRef')),
  ],
  csi: validateCSI,
};

/** Names of sources in messages where they differ from JSON: when the source is validated, and when it is forbidden. */
const judgedAs: Partial<Record<SourceName, string>> = { gcePersistentDisk: 'persistentDisk' };
const forbiddenAs: Partial<Record<SourceName, string>> = { cephfs: 'cephFS' };

/** Validates the source of a volume, which must have exactly one. */
export function validateSource(spec: PersistentVolumeSpec, volumeName: string, path: Path): ErrorList {
  const errors: ErrorList = [];
  let count = 0;
  for (const name of sourceOrder) {
    if (!spec[name]) continue;
    // Upstream does not forbid a flexVolume beside another source.
    if (count > 0 && name !== 'flexVolume') {
      errors.push(forbidden(path.child(forbiddenAs[name] ?? name), 'may not specify more than 1 volume type'));
      continue;
    }
    count++;
    errors.push(...judge(name, spec, path.child(judgedAs[name] ?? name), volumeName));
    if (name === 'local' && !spec.nodeAffinity)
      errors.push(required(path.child('nodeAffinity'), 'Local volume requires node affinity'));
  }
  return count === 0 ? [required(path, 'must specify a volume type')] : errors;
}

function judge<K extends SourceName>(name: K, spec: PersistentVolumeSpec, path: Path, volumeName: string): ErrorList {
  const source = spec[name];
  return source ? rules[name](source, path, volumeName) : [];
}

/** Validates a reference to a Secret in any namespace: both name and namespace are required. */
function requiredReference(reference: { name?: string; namespace?: string } | undefined, path: Path): ErrorList {
  return reference ? requiredFields(path, reference, ['name', 'namespace']) : [];
}

function validateGlusterfs(source: GlusterfsPersistentVolumeSource, path: Path): ErrorList {
  const { endpointsNamespace: namespace } = source;
  const errors = requiredFields(path, source, ['endpoints', 'path']);
  if (namespace === undefined) return errors;
  const messages =
    namespace === ''
      ? ['if the endpointnamespace is set, it must be a valid namespace name']
      : validateNamespaceName(namespace, false);
  return [...errors, ...invalidEach(path.child('endpointsNamespace'), namespace, messages)];
}

function validateISCSI(source: ISCSIPersistentVolumeSource, path: Path, volumeName: string): ErrorList {
  const { targetPortal, initiatorName, secretRef } = source;
  const errors = validateISCSIVolumeSource(source, path, { unknownPrefix: 'must be valid format' });
  if (initiatorName !== undefined && `${volumeName}:${targetPortal}`.length > 64) {
    // Upstream reports this error before those of the initiator name and after a missing portal.
    errors.splice(targetPortal ? 0 : 1, 0, invalid(path.child('targetportal'), targetPortal, initiatorTooLong));
  }
  if (secretRef && !secretRef.name) {
    const at = errors.findIndex(({ field }) => field === path.child('initiatorname').toString());
    errors.splice(at < 0 ? errors.length : at, 0, required(path.child('secretRef', 'name')));
  }
  return errors;
}

function validateAzureFile(source: AzureFilePersistentVolumeSource, path: Path): ErrorList {
  const errors = requiredFields(path, source, ['secretName', 'shareName']);
  if (source.secretNamespace === '') errors.push(required(path.child('secretNamespace')));
  return errors;
}

function validateLocal({ path: target }: LocalVolumeSource, path: Path): ErrorList {
  return target ? validatePathNoBacksteps(target, path.child('path')) : [required(path.child('path'))];
}

function validateCSI(source: CSIPersistentVolumeSource, path: Path): ErrorList {
  const references = [
    'controllerPublishSecretRef',
    'controllerExpandSecretRef',
    'nodePublishSecretRef',
    'nodeExpandSecretRef',
  ] as const;
  return [
    ...validateCSIDriverName(source.driver, path.child('driver')),
    ...requiredFields(path, source, ['volumeHandle']),
    ...references.flatMap((name) => {
      const reference = source[name];
      return reference ? validateSecretReference(reference, path.child(name)) : [];
    }),
  ];
}

function validateSecretReference({ name, namespace }: SecretReference, path: Path): ErrorList {
  const [namePath, namespacePath] = [path.child('name'), path.child('namespace')];
  return [
    ...(name ? invalidEach(namePath, name, isDns1123Subdomain(name)) : [required(namePath)]),
    ...(namespace ? invalidEach(namespacePath, namespace, isDns1123Label(namespace)) : [required(namespacePath)]),
  ];
}
