import {
  type ErrorList,
  type FieldLabelConversion,
  invalid,
  Path,
  required,
  validateImmutableField,
} from '@coxswain/apimachinery';
import type { Device, ResourcePool, ResourceSlice, ResourceSliceSpec } from '../../generated/resource/v1.ts';
import { selectBy } from '../../strategy/field-labels.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { validateSet } from './collections.ts';
import { validateCounters } from './counters.ts';
import { isListAttribute, validateDevice } from './device.ts';
import { dropDisabledSliceFields } from './disabled-fields.ts';
import { validateDriverName, validatePoolName } from './names.ts';
import { checkNodeSelection } from './node-selection.ts';

const maxDevices = 128;
const maxAdvancedDevices = 64;
const maxCounterSets = 8;
const path = Path.of('spec');

function validateSpec(spec: ResourceSliceSpec, old: ResourceSliceSpec | undefined): ErrorList {
  const errors = [
    ...validateDriverName(spec.driver, path.child('driver')),
    ...validatePool(spec.pool, path.child('pool')),
  ];
  if (old) {
    errors.push(
      ...validateImmutableField(spec.pool?.name, old.pool?.name, path.child('pool', 'name')),
      ...validateImmutableField(spec.driver, old.driver, path.child('driver')),
      ...validateImmutableField(spec.nodeName, old.nodeName, path.child('nodeName')),
    );
  }
  errors.push(...validatePlace(spec));
  if (spec.sharedCounters && spec.devices) {
    errors.push(invalid(path, '', 'only one of `sharedCounters` or `devices` is allowed'));
  }
  const isPlaced = spec.perDeviceNodeSelection === true;
  errors.push(
    ...validateSet(
      spec.devices,
      spec.devices?.some(isAdvanced) ? maxAdvancedDevices : maxDevices,
      (device, devicePath) => {
        const before = old?.devices?.find(({ name }) => name === device.name);
        return validateDevice(device, before, isPlaced, devicePath);
      },
      ({ name }) => name,
      path.child('devices'),
    ),
    ...validateSet(
      spec.sharedCounters,
      maxCounterSets,
      ({ name, counters }, setPath) =>
        validateCounters(name, counters, setPath.child('name'), setPath.child('counters')),
      ({ name }) => name,
      path.child('sharedCounters'),
    ),
  );
  return errors;
}

/** Reports whether a device has fields for which the limit of devices per slice is lower. */
const isAdvanced = ({ taints, consumesCounters, attributes }: Device): boolean =>
  Boolean(taints?.length || consumesCounters?.length || Object.values(attributes ?? {}).some(isListAttribute));

function validatePool(pool: ResourcePool | undefined, poolPath: Path): ErrorList {
  const { name, resourceSliceCount = 0, generation = 0 } = pool ?? {};
  const errors = validatePoolName(name, poolPath.child('name'));
  if (resourceSliceCount <= 0) {
    errors.push(invalid(poolPath.child('resourceSliceCount'), resourceSliceCount, 'must be greater than zero'));
  }
  if (generation < 0) {
    errors.push(invalid(poolPath.child('generation'), generation, 'must be greater than or equal to zero'));
  }
  return errors;
}

/** Validates the selection of the nodes that can access the slice's devices. */
function validatePlace(spec: ResourceSliceSpec): ErrorList {
  const { chosen, errors } = checkNodeSelection(
    spec,
    { emptyName: 'must be either unset or set to a non-empty string', oneTerm: true },
    path,
  );
  const one = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (chosen.length === 0) errors.push(required(path, one));
  else if (chosen.length > 1) {
    errors.push(invalid(path, `{${chosen.join(', ')}}`, `${one}, but multiple fields are set`));
  }
  return errors;
}

function warnings({ spec }: ResourceSlice): string[] {
  const driver = spec.driver ?? '';
  if (driver === driver.toLowerCase()) return [];
  return [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`];
}

export const resourceSliceStrategy: Strategy<ResourceSlice> = {
  generation: ['spec'],
  prepareForCreate: (slice, context) => dropDisabledSliceFields(slice, undefined, context),
  prepareForUpdate: dropDisabledSliceFields,
  validate: ({ spec }) => validateSpec(spec, undefined),
  validateUpdate: ({ spec }, old) => validateSpec(spec, old.spec),
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    'spec.driver': ({ spec }) => spec.driver ?? '',
  },
  table: {
    columns: columns('Name', 'Node', 'Driver', 'Pool', 'Age'),
    row: ({ metadata, spec }, context) => [
      metadata.name ?? '',
      spec.nodeName ?? '',
      spec.driver ?? '',
      spec.pool?.name ?? '',
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};

/** Returns the field labels of a version, whose name is part of the error message. */
export const resourceSliceFieldLabels = (version: string): FieldLabelConversion =>
  selectBy(
    ['metadata.name', 'spec.nodeName', 'spec.driver'],
    (label) => `field label not supported for resource.k8s.io/${version}, Kind=ResourceSlice: ${label}`,
  );
