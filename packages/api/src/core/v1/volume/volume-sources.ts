import {
  byteLength,
  type ErrorList,
  inclusiveRangeError,
  invalid,
  isDns1123Label,
  isDns1123Subdomain,
  isLongerThan,
  nameIsDnsSubdomain,
  notSupported,
  type Path,
  required,
  tooLong,
} from '@coxswain/apimachinery';
import type * as v1 from '../../../generated/core/v1.ts';
import { invalidEach, requiredFields, sortedEntries, unlessSupported } from '../checks.ts';
import { validateLocalDescendingPath, validateLocalNonReservedPath, validatePathNoBacksteps } from './path-rules.ts';

/** Upstream's message, the same for volumes of pods and PersistentVolumes. */
export const initiatorTooLong =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

/** Validates the permissions of a file in the field `name`. */
export function checkFileMode(path: Path, name: string, mode: number | undefined, errors: ErrorList): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777))
    errors.push(invalid(path.child(name), mode, 'must be a number between 0 and 0777 (octal), both inclusive'));
}

/** Validates the projection of a key of a ConfigMap or Secret to a file. */
export function validateKeyToPath(item: v1.KeyToPath, path: Path, errors: ErrorList): void {
  if (!item.key) errors.push(required(path.child('key')));
  if (!item.path) errors.push(required(path.child('path')));
  validateLocalNonReservedPath(item.path, path.child('path'), errors);
  checkFileMode(path, 'mode', item.mode, errors);
}

function validateItems(source: v1.SecretVolumeSource, path: Path, errors: ErrorList): void {
  checkFileMode(path, 'defaultMode', source.defaultMode, errors);
  source.items?.forEach((item, i) => {
    validateKeyToPath(item, path.child('items').index(i), errors);
  });
}

export function validateSecretVolumeSource(source: v1.SecretVolumeSource, path: Path, errors: ErrorList): void {
  if (!source.secretName) errors.push(required(path.child('secretName')));
  validateItems(source, path, errors);
}

export function validateConfigMapVolumeSource(source: v1.ConfigMapVolumeSource, path: Path, errors: ErrorList): void {
  if (!source.name) errors.push(required(path.child('name')));
  validateItems(source, path, errors);
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

export function validateHostPathVolumeSource({ path: target, type }: v1.HostPathVolumeSource, path: Path): ErrorList {
  if (!target) return [required(path.child('path'))];
  return [
    ...validatePathNoBacksteps(target, path.child('path')),
    ...(type === undefined ? [] : unlessSupported(path.child('type'), type, hostPathTypes)),
  ];
}

export const validateGitRepoVolumeSource = (source: v1.GitRepoVolumeSource, path: Path): ErrorList => [
  ...requiredFields(path, source, ['repository']),
  ...validateLocalDescendingPath(source.directory ?? '', path.child('directory')),
];

const validatePartition = (partition: number | undefined, path: Path): ErrorList =>
  partition !== undefined && (partition < 0 || partition > 255)
    ? [invalid(path.child('partition'), partition, inclusiveRangeError(1, 255))]
    : [];

export const validateGCEPersistentDiskVolumeSource = (
  source: v1.GCEPersistentDiskVolumeSource,
  path: Path,
): ErrorList => [...requiredFields(path, source, ['pdName']), ...validatePartition(source.partition, path)];

export const validateAWSElasticBlockStoreVolumeSource = (
  source: v1.AWSElasticBlockStoreVolumeSource,
  path: Path,
): ErrorList => [...requiredFields(path, source, ['volumeID']), ...validatePartition(source.partition, path)];

export const validateNFSVolumeSource = (source: v1.NFSVolumeSource, path: Path): ErrorList => [
  ...requiredFields(path, source, ['server', 'path']),
  ...(source.path.startsWith('/') ? [] : [invalid(path.child('path'), source.path, 'must be an absolute path')]),
];

const initiatorFormats: readonly (readonly [prefix: string, format: RegExp])[] = [
  ['iqn', /iqn\.[0-9]{4}-[0-9]{2}\.([0-9A-Za-z\-.]+)(:[^,;*&$|\t\n\f\r ]+)$/],
  ['eui', /^eui.[0-9A-Za-z]{16}$/],
  ['naa', /^naa.[0-9A-Za-z]{32}$/],
];

/** Validates the name of an initiator or target. `unknown` is the message for an unknown prefix. */
function validateInitiatorName(name: string, path: Path, unknown: string): ErrorList {
  const format = initiatorFormats.find(([prefix]) => name.startsWith(prefix))?.[1];
  if (!format) return [invalid(path, name, unknown)];
  return format.test(name) ? [] : [invalid(path, name, 'must be valid format')];
}

const validateLun = (lun: number, path: Path): ErrorList =>
  lun < 0 || lun > 255 ? [invalid(path.child('lun'), lun, inclusiveRangeError(0, 255))] : [];

export interface ISCSIValidationOptions {
  /** The message for a name with an unknown prefix. */
  readonly unknownPrefix?: string;
}

/** Validates an iSCSI source, also of a PersistentVolume, whose secretRef has another type and whose messages differ slightly. */
export function validateISCSIVolumeSource(
  source: Omit<v1.ISCSIVolumeSource, 'secretRef'> & { readonly secretRef?: object },
  path: Path,
  { unknownPrefix = 'must be valid format starting with iqn, eui, or naa' }: ISCSIValidationOptions = {},
): ErrorList {
  const errors = requiredFields(path, source, ['targetPortal', 'iqn']);
  if (source.iqn) errors.push(...validateInitiatorName(source.iqn, path.child('iqn'), unknownPrefix));
  errors.push(...validateLun(source.lun, path));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !source.secretRef)
    errors.push(required(path.child('secretRef')));
  if (source.initiatorName !== undefined)
    errors.push(...validateInitiatorName(source.initiatorName, path.child('initiatorname'), unknownPrefix));
  return errors;
}

export function validateFlockerVolumeSource(source: v1.FlockerVolumeSource, path: Path): ErrorList {
  const { datasetName, datasetUUID } = source;
  const errors: ErrorList = [];
  if (!datasetName && !datasetUUID) errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (datasetName && datasetUUID)
    errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  if (datasetName?.includes('/')) errors.push(invalid(path.child('datasetName'), datasetName, "must not contain '/'"));
  return errors;
}

/** Returns `Required value` for a secretRef without name. */
const validateSecretRefName = (secretRef: v1.LocalObjectReference | undefined, path: Path): ErrorList =>
  secretRef && !secretRef.name ? [required(path.child('secretRef', 'name'))] : [];

export const validateCinderVolumeSource = (source: v1.CinderVolumeSource, path: Path): ErrorList => [
  ...requiredFields(path, source, ['volumeID']),
  ...validateSecretRefName(source.secretRef, path),
];

/** Reports whether the text has the form `host:1` or `[::1]:1`. */
function isHostPort(text: string): boolean {
  const colon = text.lastIndexOf(':');
  if (colon < 0) return false;
  const host = text.slice(0, colon);
  if (!host.startsWith('[')) return !/[:[\]]/.test(host) && !/[[\]]/.test(text.slice(colon));
  return host.indexOf(']') === host.length - 1 && !host.slice(1).includes('[') && !/[[\]]/.test(text.slice(colon));
}

export function validateQuobyteVolumeSource(source: v1.QuobyteVolumeSource, path: Path): ErrorList {
  const pairs = 'must be a host:port pair or multiple pairs separated by commas';
  const errors: ErrorList = [];
  if (!source.registry) errors.push(required(path.child('registry'), pairs));
  else if (byteLength(source.tenant ?? '') >= 65)
    errors.push(required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'));
  else
    for (const pair of source.registry.split(','))
      if (!isHostPort(pair)) errors.push(invalid(path.child('registry'), source.registry, pairs));
  errors.push(...requiredFields(path, source, ['volume']));
  return errors;
}

export function validateFCVolumeSource({ targetWWNs = [], wwids = [], lun }: v1.FCVolumeSource, path: Path): ErrorList {
  const errors: ErrorList = [];
  const namesPath = path.child('targetWWNs');
  if (targetWWNs.length === 0 && wwids.length === 0)
    errors.push(required(namesPath, 'must specify either targetWWNs or wwids, but not both'));
  if (targetWWNs.length > 0 && wwids.length > 0)
    errors.push(invalid(namesPath, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  if (targetWWNs.length > 0)
    errors.push(
      ...(lun === undefined
        ? [required(path.child('lun'), 'lun is required if targetWWNs is specified')]
        : validateLun(lun, path)),
    );
  return errors;
}

/** Validates a flexVolume. It must not set options that are reserved for the kubelet. */
export function validateFlexVolumeSource(
  source: Pick<v1.FlexVolumeSource, 'driver' | 'options'>,
  path: Path,
): ErrorList {
  const errors = requiredFields(path, source, ['driver']);
  for (const [key] of sortedEntries(source.options)) {
    const domain = `.${key.split('/', 1)[0]!.toLowerCase()}`;
    if (domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io'))
      errors.push(invalid(path.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved'));
  }
  return errors;
}

export function validateAzureDiskVolumeSource(source: v1.AzureDiskVolumeSource, path: Path): ErrorList {
  const { cachingMode, kind, diskURI } = source;
  const errors = requiredFields(path, source, ['diskName', 'diskURI']);
  if (cachingMode !== undefined)
    errors.push(...unlessSupported(path.child('cachingMode'), cachingMode, ['None', 'ReadOnly', 'ReadWrite']));
  if (kind === undefined) return errors;
  errors.push(...unlessSupported(path.child('kind'), kind, ['Dedicated', 'Managed', 'Shared']));
  const [start, example] =
    kind === 'Managed'
      ? [
          '/subscriptions/',
          '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}',
        ]
      : ['https://', 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'];
  if (!diskURI.startsWith(start)) errors.push(notSupported(path.child('diskURI'), diskURI, [example]));
  return errors;
}

export function validateStorageOSVolumeSource(source: v1.StorageOSVolumeSource, path: Path): ErrorList {
  const { volumeName, volumeNamespace } = source;
  const errors = requiredFields(path, source, ['volumeName']);
  if (volumeName) errors.push(...invalidEach(path.child('volumeName'), volumeName, isDns1123Label(volumeName)));
  if (volumeNamespace)
    errors.push(...invalidEach(path.child('volumeNamespace'), volumeNamespace, isDns1123Label(volumeNamespace)));
  errors.push(...validateSecretRefName(source.secretRef, path));
  return errors;
}

/** Validates the name of a CSI driver: a DNS subdomain in any case, of at most 63 bytes. */
export function validateCSIDriverName(name: string, path: Path): ErrorList {
  if (!name) return [required(path)];
  return [
    ...(isLongerThan(name, 63) ? [tooLong(path, 63)] : []),
    ...invalidEach(path, name, isDns1123Subdomain(name.toLowerCase())),
  ];
}

export function validateCSIVolumeSource({ driver, nodePublishSecretRef }: v1.CSIVolumeSource, path: Path): ErrorList {
  const errors = validateCSIDriverName(driver, path.child('driver'));
  if (!nodePublishSecretRef) return errors;
  const { name } = nodePublishSecretRef;
  errors.push(
    ...(name
      ? invalidEach(path.child('name'), name, nameIsDnsSubdomain(name, false))
      : [required(path.child('nodePublishSecretRef', 'name'))]),
  );
  return errors;
}
