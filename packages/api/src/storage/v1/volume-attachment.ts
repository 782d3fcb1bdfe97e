import {
  type ErrorList,
  forbidden,
  inclusiveRangeError,
  invalid,
  isLongerThan,
  nameIsDnsSubdomain,
  Path,
  required,
  semanticEqual,
  tooLong,
} from '@coxswain/apimachinery';
import { invalidEach } from '../../core/v1/checks.ts';
import { coreInternalTypes } from '../../core/v1/internal-form/core-types.ts';
import { internalTypes } from '../../core/v1/internal-form/pod-types.ts';
import { validatePersistentVolumeSpec } from '../../core/v1/persistent-volume/index.ts';
import { roundUpToMilli } from '../../core/v1/resources/resource-list.ts';
import { setPersistentVolumeSourceDefaults } from '../../core/v1/volume/source-defaults.ts';
import { validateCSIDriverName } from '../../core/v1/volume/volume-sources.ts';
import type { VolumeAttachment, VolumeAttachmentSource, VolumeError } from '../../generated/storage/v1.ts';
import { internalFormOf } from '../../strategy/internal-form.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { sizeOf } from './parameters.ts';

const specPath = Path.of('spec');
const statusPath = Path.of('status');
const maxMetadataSize = 256 * 1024;
const maxMessageLength = 1024;

/** The spec as upstream's messages print it. */
const internalForm = internalFormOf(`${internalTypes}${coreInternalTypes}
PersistentVolumeSpec Capacity:{}q ^PersistentVolumeSource AccessModes:[]s ClaimRef:*ObjectReference
 PersistentVolumeReclaimPolicy:s StorageClassName:s MountOptions:[]s VolumeMode:*s NodeAffinity:*VolumeNodeAffinity
 VolumeAttributesClassName:*s
VolumeAttachmentSource PersistentVolumeName:*s InlineVolumeSpec:*PersistentVolumeSpec
VolumeAttachmentSpec Attacher:s Source:VolumeAttachmentSource NodeName:s
`);

export function setVolumeAttachmentDefaults({ spec }: VolumeAttachment): void {
  const inline = spec.source?.inlineVolumeSpec;
  if (!inline) return;
  roundUpToMilli(inline.capacity);
  setPersistentVolumeSourceDefaults(inline);
}

function validate({ spec, status }: VolumeAttachment): ErrorList {
  const { attacher, source = {}, nodeName } = spec;
  const errors = validateCSIDriverName(attacher, specPath.child('attacher'));
  errors.push(...validateSource(source, specPath.child('source')));
  errors.push(...invalidEach(specPath.child('nodeName'), nodeName, nameIsDnsSubdomain(nodeName, false)));
  if (sizeOf(status?.attachmentMetadata) > maxMetadataSize)
    errors.push(tooLong(statusPath.child('attachmentMetadata'), maxMetadataSize));
  errors.push(...validateVolumeError(status?.attachError, statusPath.child('attachError')));
  errors.push(...validateVolumeError(status?.detachError, statusPath.child('detachError')));
  const { persistentVolumeName: name } = source;
  if (name !== undefined) {
    const path = specPath.child('source', 'persistentVolumeName');
    errors.push(...invalidEach(path, name, nameIsDnsSubdomain(name, false)));
  }
  return errors;
}

function validateSource({ persistentVolumeName, inlineVolumeSpec }: VolumeAttachmentSource, path: Path): ErrorList {
  const exactlyOne = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (inlineVolumeSpec && persistentVolumeName !== undefined) return [forbidden(path, exactlyOne)];
  if (inlineVolumeSpec)
    return validatePersistentVolumeSpec(inlineVolumeSpec, '', path.child('inlineVolumeSpec'), { inline: true });
  if (persistentVolumeName === undefined) return [required(path, exactlyOne)];
  if (persistentVolumeName) return [];
  return [required(path.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')];
}

function validateVolumeError(error: VolumeError | undefined, path: Path): ErrorList {
  const { message = '', errorCode = 0 } = error ?? {};
  return [
    // Upstream's message has the limit of another field.
    ...(isLongerThan(message, maxMessageLength) ? [tooLong(path.child('message'), maxMetadataSize)] : []),
    ...(errorCode < 0 ? [invalid(path.child('errorCode'), errorCode, inclusiveRangeError(0, 2147483647))] : []),
  ];
}

function validateUpdate(attachment: VolumeAttachment, old: VolumeAttachment): ErrorList {
  const errors = validate(attachment);
  if (!semanticEqual(attachment.spec, old.spec))
    errors.push(invalid(specPath, internalForm('VolumeAttachmentSpec', attachment.spec), 'field is immutable'));
  return errors;
}

function dropErrorCodes(attachment: VolumeAttachment, old: VolumeAttachment, { features }: StrategyContext): void {
  const { status } = attachment;
  if (features.enabled('MutableCSINodeAllocatableCount') || !status) return;
  for (const name of ['attachError', 'detachError'] as const) {
    if (old.status?.[name]?.errorCode !== undefined || !status[name]) continue;
    const { errorCode: _, ...error } = status[name];
    status[name] = error;
  }
}

export const volumeAttachmentStrategy: Strategy<VolumeAttachment> = {
  allowUnconditionalUpdate: false,
  revalidatesMetadata: true,
  validatesMetadataUpdate: true,
  validate,
  validateUpdate,
  subresources: {
    status: {
      owns: ['status'],
      metadata: 'none',
      validatesMetadataUpdate: true,
      prepareForUpdate: dropErrorCodes,
      validateUpdate,
    },
  },
  table: {
    columns: columns('Name', 'Attacher', 'PV', 'Node', 'Attached:boolean', 'Age').map((column) =>
      column.name === 'Attacher' ? { ...column, format: 'name' } : column,
    ),
    row: ({ metadata, spec, status }, context) => [
      metadata.name ?? '',
      spec.attacher,
      spec.source.persistentVolumeName ?? '',
      spec.nodeName,
      status?.attached ?? false,
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
