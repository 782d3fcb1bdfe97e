import {
  byteLength,
  checkRequiredField,
  duplicate,
  type ErrorList,
  forbidden,
  invalid,
  invalidEach,
  isDns1123Label,
  nameIsDnsSubdomain,
  type ObjectMeta,
  type Path,
  quote,
  required,
} from '@coxswain/apimachinery';
import type { Volume } from '../../../../generated/core/v1.ts';
import { checkRequiredSupported, requiredFields } from '../../checks.ts';
import { isNegativeAmount } from '../../resources/amount.ts';
import * as sources from '../../volume/volume-sources.ts';
import { pullPolicies } from '../container/image-name.ts';
import type { PodValidationOptions } from '../validation-options.ts';
import { validateEphemeralVolumeSource } from './ephemeral-volume.ts';
import { validateDownwardAPIVolumeSource, validateProjectedVolumeSource } from './projected-volume.ts';

type VolumeType = Exclude<keyof Volume, 'name'>;
type Validate<T extends VolumeType> = (
  source: NonNullable<Volume[T]>,
  path: Path,
  errors: ErrorList,
  options: PodValidationOptions,
) => unknown;

interface VolumeRule {
  readonly type: VolumeType;
  readonly validate: Validate<VolumeType>;
  /** The field name in error paths of the source, if it differs. */
  readonly validatedAs?: string;
  /** The field name in the error that there is more than one source, if it differs. */
  readonly forbiddenAs?: string;
}

type Names = Pick<VolumeRule, 'validatedAs' | 'forbiddenAs'>;

const rule = <T extends VolumeType>(type: T, validate: Validate<T>, names: Names = {}): VolumeRule => ({
  type,
  validate: validate as Validate<VolumeType>,
  ...names,
});

/** Returns a rule from a function that returns its errors as a list. */
const listing = <T extends VolumeType>(
  type: T,
  validate: (source: NonNullable<Volume[T]>, path: Path) => ErrorList,
  names?: Names,
): VolumeRule =>
  rule(
    type,
    (source, path, errors) => {
      for (const error of validate(source, path)) errors.push(error);
    },
    names,
  );

/** Returns a rule that only requires fields. */
const requires = <T extends VolumeType>(
  type: T,
  fields: readonly (keyof NonNullable<Volume[T]> & string)[],
  names?: Names,
): VolumeRule => rule(type, (source, path, errors) => requiredFields(path, source, fields, errors), names);

/** In upstream's order: of several sources, the first is validated and the others are refused. */
const volumeRules: readonly VolumeRule[] = [
  rule('emptyDir', ({ sizeLimit }, path, errors) => {
    if (sizeLimit !== undefined && isNegativeAmount(sizeLimit))
      errors.push(forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity'));
  }),
  listing('hostPath', sources.validateHostPathVolumeSource),
  listing('gitRepo', sources.validateGitRepoVolumeSource),
  listing('gcePersistentDisk', sources.validateGCEPersistentDiskVolumeSource, { validatedAs: 'persistentDisk' }),
  listing('awsElasticBlockStore', sources.validateAWSElasticBlockStoreVolumeSource),
  rule('secret', sources.validateSecretVolumeSource),
  listing('nfs', sources.validateNFSVolumeSource),
  listing('iscsi', sources.validateISCSIVolumeSource),
  requires('glusterfs', ['endpoints', 'path']),
  listing('flocker', sources.validateFlockerVolumeSource),
  requires('persistentVolumeClaim', ['claimName']),
  requires('rbd', ['monitors', 'image']),
  listing('cinder', sources.validateCinderVolumeSource),
  requires('cephfs', ['monitors'], { forbiddenAs: 'cephFS' }),
  listing('quobyte', sources.validateQuobyteVolumeSource),
  rule('downwardAPI', validateDownwardAPIVolumeSource, { forbiddenAs: 'downwarAPI' }),
  listing('fc', sources.validateFCVolumeSource),
  listing('flexVolume', sources.validateFlexVolumeSource),
  rule('configMap', sources.validateConfigMapVolumeSource),
  requires('azureFile', ['secretName', 'shareName']),
  requires('vsphereVolume', ['volumePath']),
  requires('photonPersistentDisk', ['pdID']),
  requires('portworxVolume', ['volumeID']),
  listing('azureDisk', sources.validateAzureDiskVolumeSource),
  listing('storageos', sources.validateStorageOSVolumeSource),
  rule('projected', validateProjectedVolumeSource),
  requires('scaleIO', ['gateway', 'system', 'volumeName']),
  listing('csi', sources.validateCSIVolumeSource),
  listing('ephemeral', validateEphemeralVolumeSource),
  rule('image', ({ reference, pullPolicy }, path, errors, { resourceIsPod }) => {
    if (resourceIsPod && !reference) errors.push(required(path.child('reference')));
    checkRequiredSupported(path, 'pullPolicy', pullPolicy, pullPolicies, errors);
  }),
];
const ruleOf: ReadonlyMap<string, VolumeRule> = new Map(volumeRules.map((one) => [one.type, one]));

/** Returns the rules for the sources that the volume has, in the order of the rules. */
function rulesFor(volume: Volume): readonly VolumeRule[] {
  const rules: VolumeRule[] = [];
  for (const field of Object.keys(volume)) {
    const found = ruleOf.get(field);
    if (found && volume[found.type] !== undefined) rules.push(found);
  }
  return rules.length < 2 ? rules : volumeRules.filter((one) => rules.includes(one));
}

/** Returns the name of the claim that is created for a pod's ephemeral volume. */
const claimNameOf = (pod: string, volume: string): string => `${pod}-${volume}`;

/** Returns the names of the claims that are created for a pod's ephemeral volumes; undefined if it has none. */
function claimsMadeFor(pod: string, volumes: readonly Volume[]): ReadonlySet<string> | undefined {
  const ephemeral = volumes.filter((volume) => volume.ephemeral);
  return ephemeral.length > 0 ? new Set(ephemeral.map(({ name }) => claimNameOf(pod, name))) : undefined;
}

/** Returns the errors in the name of an ephemeral volume's claim. */
function claimNameErrors(pod: string, volume: string): string[] {
  const claim = claimNameOf(pod, volume);
  return nameIsDnsSubdomain(claim, false).map((message) => `PVC name ${quote(claim)}: ${message}`);
}

/** Validates the source of a volume, which must have exactly one. */
function validateVolumeSource(
  volume: Volume,
  pod: ObjectMeta | undefined,
  path: Path,
  options: PodValidationOptions,
  errors: ErrorList,
): void {
  let found = false;
  for (const { type, validate, validatedAs, forbiddenAs } of rulesFor(volume)) {
    if (found) errors.push(forbidden(path.child(forbiddenAs ?? type), 'may not specify more than 1 volume type'));
    else validate(volume[type]!, path.child(validatedAs ?? type), errors, options);
    if (type === 'iscsi') validateInitiatorLength(volume, path, errors);
    if (type === 'ephemeral' && !found && pod?.name && volume.name)
      invalidEach(path.child('name'), volume.name, claimNameErrors(pod.name, volume.name), errors);
    found = true;
  }
  if (!found) errors.push(required(path, 'must specify a volume type'));
}

function validateInitiatorLength({ name, iscsi }: Volume, path: Path, errors: ErrorList): void {
  if (iscsi?.initiatorName !== undefined && byteLength(`${name}:${iscsi.targetPortal}`) > 64)
    errors.push(invalid(path.child('name'), name, sources.initiatorTooLong));
}

/**
 * Validates the volumes of a pod, or of a template when `pod` is undefined. Returns the valid volumes by name:
 * containers that mount another one get a not-found error.
 */
export function validateVolumes(
  volumes: readonly Volume[],
  pod: ObjectMeta | undefined,
  path: Path,
  options: PodValidationOptions,
  errors: ErrorList,
): ReadonlyMap<string, Volume> {
  const valid = new Map<string, Volume>();
  const ownClaims = pod?.name ? claimsMadeFor(pod.name, volumes) : undefined;
  volumes.forEach((volume, i) => {
    const at = path.index(i);
    const { name, persistentVolumeClaim: claim } = volume;
    const before = errors.length;
    validateVolumeSource(volume, pod, at, options, errors);
    checkRequiredField(at, 'name', name, isDns1123Label, errors);
    if (valid.has(name)) errors.push(duplicate(at.child('name'), name));
    if (errors.length === before) valid.set(name, volume);
    if (claim && ownClaims?.has(claim.claimName)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume';
      errors.push(invalid(at.child('persistentVolumeClaim', 'claimName'), claim.claimName, detail));
    }
  });
  return valid;
}
