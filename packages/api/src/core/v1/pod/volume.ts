import {
  byteLength,
  duplicate,
  type ErrorList,
  forbidden,
  invalid,
  isDns1123Label,
  nameIsDnsSubdomain,
  type ObjectMeta,
  type Path,
  Quantity,
  quote,
  required,
} from '@coxswain/apimachinery';
import type { Volume } from '../../../generated/core/v1.ts';
import { invalidEach, requiredFields, requiredSupported } from './checks.ts';
import { validateEphemeralVolumeSource } from './ephemeral-volume.ts';
import { validateDownwardAPIVolumeSource, validateProjectedVolumeSource } from './projected-volume.ts';
import type { PodValidationOptions } from './validation-options.ts';
import * as sources from './volume-sources.ts';

type VolumeType = Exclude<keyof Volume, 'name'>;

interface VolumeRule<T extends VolumeType = VolumeType> {
  readonly type: T;
  readonly validate: (source: NonNullable<Volume[T]>, path: Path, options: PodValidationOptions) => ErrorList;
  /** Where messages about the source point, if not to its own name. */
  readonly validatedAs?: string;
  /** Where the message points that there is one source too many. */
  readonly forbiddenAs?: string;
}

const rule = <T extends VolumeType>(
  type: T,
  validate: VolumeRule<T>['validate'],
  names: Pick<VolumeRule, 'validatedAs' | 'forbiddenAs'> = {},
): VolumeRule => ({ type, validate: validate as VolumeRule['validate'], ...names });

const requires =
  <T extends VolumeType>(...names: (keyof NonNullable<Volume[T]> & string)[]) =>
  (source: NonNullable<Volume[T]>, path: Path) =>
    requiredFields(path, source, names);

/** In the order in which upstream looks at them: the first one counts, the others are too many. */
const volumeRules: readonly VolumeRule[] = [
  rule('emptyDir', ({ sizeLimit }, path) =>
    sizeLimit !== undefined && Quantity.parse(sizeLimit).sign() < 0
      ? [forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity')]
      : [],
  ),
  rule('hostPath', sources.validateHostPathVolumeSource),
  rule('gitRepo', sources.validateGitRepoVolumeSource),
  rule('gcePersistentDisk', sources.validateGCEPersistentDiskVolumeSource, { validatedAs: 'persistentDisk' }),
  rule('awsElasticBlockStore', sources.validateAWSElasticBlockStoreVolumeSource),
  rule('secret', sources.validateSecretVolumeSource),
  rule('nfs', sources.validateNFSVolumeSource),
  rule('iscsi', (source, path) => sources.validateISCSIVolumeSource(source, path)),
  rule('glusterfs', requires<'glusterfs'>('endpoints', 'path')),
  rule('flocker', sources.validateFlockerVolumeSource),
  rule('persistentVolumeClaim', requires<'persistentVolumeClaim'>('claimName')),
  rule('rbd', requires<'rbd'>('monitors', 'image')),
  rule('cinder', sources.validateCinderVolumeSource),
  rule('cephfs', requires<'cephfs'>('monitors'), { forbiddenAs: 'cephFS' }),
  rule('quobyte', sources.validateQuobyteVolumeSource),
  rule('downwardAPI', validateDownwardAPIVolumeSource, { forbiddenAs: 'downwarAPI' }),
  rule('fc', sources.validateFCVolumeSource),
  rule('flexVolume', sources.validateFlexVolumeSource),
  rule('configMap', sources.validateConfigMapVolumeSource),
  rule('azureFile', requires<'azureFile'>('secretName', 'shareName')),
  rule('vsphereVolume', requires<'vsphereVolume'>('volumePath')),
  rule('photonPersistentDisk', requires<'photonPersistentDisk'>('pdID')),
  rule('portworxVolume', requires<'portworxVolume'>('volumeID')),
  rule('azureDisk', sources.validateAzureDiskVolumeSource),
  rule('storageos', sources.validateStorageOSVolumeSource),
  rule('projected', validateProjectedVolumeSource),
  rule('scaleIO', requires<'scaleIO'>('gateway', 'system', 'volumeName')),
  rule('csi', sources.validateCSIVolumeSource),
  rule('ephemeral', validateEphemeralVolumeSource),
  rule('image', ({ reference, pullPolicy }, path, { resourceIsPod }) => [
    ...(resourceIsPod && !reference ? [required(path.child('reference'))] : []),
    ...requiredSupported(path.child('pullPolicy'), pullPolicy, ['Always', 'IfNotPresent', 'Never']),
  ]),
];

/** What is wrong with the name that the claim of an ephemeral volume gets. */
function claimNameErrors(pod: string, volume: string): string[] {
  const claim = `${pod}-${volume}`;
  return nameIsDnsSubdomain(claim, false).map((message) => `PVC name ${quote(claim)}: ${message}`);
}

/** Exactly one source, and that one valid. */
function validateVolumeSource(
  volume: Volume,
  pod: ObjectMeta | undefined,
  path: Path,
  options: PodValidationOptions,
): ErrorList {
  const errors: ErrorList = [];
  let found = false;
  for (const { type, validate, validatedAs = type, forbiddenAs = type } of volumeRules) {
    const source = volume[type];
    if (source === undefined) continue;
    if (found) errors.push(forbidden(path.child(forbiddenAs), 'may not specify more than 1 volume type'));
    else errors.push(...validate(source, path.child(validatedAs), options));
    if (type === 'iscsi') errors.push(...validateInitiatorLength(volume, path));
    if (type === 'ephemeral' && !found && pod?.name && volume.name)
      errors.push(...invalidEach(path.child('name'), volume.name, claimNameErrors(pod.name, volume.name)));
    found = true;
  }
  if (!found) errors.push(required(path, 'must specify a volume type'));
  return errors;
}

function validateInitiatorLength({ name, iscsi }: Volume, path: Path): ErrorList {
  if (iscsi?.initiatorName === undefined || byteLength(`${name}:${iscsi.targetPortal}`) <= 64) return [];
  return [invalid(path.child('name'), name, sources.initiatorTooLong)];
}

/**
 * The volumes of a pod, or of a template when there is no pod. Gives also those that containers may mount: a volume
 * with an error is as good as none.
 */
export function validateVolumes(
  volumes: readonly Volume[],
  pod: ObjectMeta | undefined,
  path: Path,
  options: PodValidationOptions,
): { readonly volumes: ReadonlyMap<string, Volume>; readonly errors: ErrorList } {
  const errors: ErrorList = [];
  const valid = new Map<string, Volume>();
  volumes.forEach((volume, i) => {
    const at = path.index(i);
    const namePath = at.child('name');
    const { name, persistentVolumeClaim: claim } = volume;
    const own = validateVolumeSource(volume, pod, at, options);
    own.push(...(name ? invalidEach(namePath, name, isDns1123Label(name)) : [required(namePath)]));
    if (valid.has(name)) own.push(duplicate(namePath, name));
    if (own.length === 0) valid.set(name, volume);
    else errors.push(...own);
    if (claim && pod?.name && volumes.some((v) => v.ephemeral && claim.claimName === `${pod.name}-${v.name}`)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume';
      errors.push(invalid(at.child('persistentVolumeClaim', 'claimName'), claim.claimName, detail));
    }
  });
  return { volumes: valid, errors };
}
