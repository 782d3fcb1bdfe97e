import {
  type ErrorList,
  invalid,
  isLongerThan,
  notFound,
  type Path,
  Quantity,
  required,
  semanticEqual,
  tooLong,
} from '@coxswain/apimachinery';
import { isNativeResource } from '../../core/v1/resources/resource-name.ts';
import type { Device, DeviceAttribute } from '../../generated/resource/v1.ts';
import { validateBindingConditions } from './binding-conditions.ts';
import { validateCapacity } from './capacity.ts';
import { validateMap, validateSet, validateSlice } from './collections.ts';
import { validateCounters } from './counters.ts';
import { internalForm } from './internal-form.ts';
import { maxQualifiedNameLength, validateLabel, validateQualifiedName } from './names.ts';
import { checkNodeSelection } from './node-selection.ts';
import { validateDeviceTaint } from './taints.ts';

const maxAttributesAndCapacities = 32;
const maxAttributeValues = 48;
const maxTaints = 16;
const maxCounterSets = 2;
const maxAttributeLength = 64;

/** Validates a device of a slice. `placed` says that every device selects its nodes itself. */
export function validateDevice(device: Device, old: Device | undefined, placed: boolean, path: Path): ErrorList {
  const errors = validateLabel(device.name, path.child('name'));
  const { attributes = {}, capacity = {} } = device;
  const total = Object.keys(attributes).length + Object.keys(capacity).length;
  if (total > maxAttributesAndCapacities) {
    const detail = `the total number of attributes and capacities must not exceed ${maxAttributesAndCapacities}`;
    errors.push(invalid(path, total, detail));
  }
  const values = Object.values(attributes).reduce((sum, attribute) => sum + valueCount(attribute), 0);
  if (values > maxAttributeValues) {
    const detail = `the total number of attribute values must not exceed ${maxAttributeValues}`;
    errors.push(invalid(path, values, detail));
  }
  const limits = { keyLength: maxQualifiedNameLength };
  const isShared = device.allowMultipleAllocations === true;
  errors.push(
    ...validateMap(attributes, limits, validateQualifiedName, validateAttribute, path.child('attributes')),
    ...validateMap(
      capacity,
      limits,
      validateQualifiedName,
      (one, capacityPath) => validateCapacity(one, isShared, capacityPath),
      path.child('capacity'),
    ),
  );
  if (!old || !semanticEqual(old.taints, device.taints)) {
    const validate = (taint: NonNullable<Device['taints']>[number], taintPath: Path) =>
      validateDeviceTaint(taint, undefined, taintPath);
    errors.push(...validateSlice(device.taints, maxTaints, validate, path.child('taints')));
  }
  errors.push(
    ...validateSet(
      device.consumesCounters,
      maxCounterSets,
      ({ counterSet, counters }, consumptionPath) =>
        validateCounters(counterSet, counters, consumptionPath.child('counterSet'), consumptionPath.child('counters')),
      ({ counterSet }) => counterSet,
      path.child('consumesCounters'),
    ),
    ...(placed ? validatePlace(device, path) : validateNoPlace(device, path)),
    ...validateBindingConditions(device, path),
    ...validateResourceMappings(device, path.child('nodeAllocatableResourceMappings')),
  );
  return errors;
}

const listFields = ['bools', 'ints', 'strings', 'versions'] as const;

/** Reports whether an attribute has a list as its value. */
export const isListAttribute = (attribute: DeviceAttribute): boolean =>
  listFields.some((field) => attribute[field] !== undefined);

function valueCount(attribute: DeviceAttribute): number {
  const count = listFields.reduce((sum, field) => sum + (attribute[field]?.length ?? 0), 0);
  return count === 0 ? 1 : count;
}

const number = '(0|[1-9]\\d*)';
const preRelease = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const build = '[0-9a-zA-Z-]+';
const semver = new RegExp(
  `^${number}\\.${number}\\.${number}(-${preRelease}(\\.${preRelease})*)?(\\+${build}(\\.${build})*)?$`,
);

function validateAttribute(attribute: DeviceAttribute, path: Path): ErrorList {
  const errors: ErrorList = [];
  const validateText = (value: string, place: Path) => {
    if (isLongerThan(value, maxAttributeLength)) errors.push(tooLong(place, maxAttributeLength));
  };
  const validateVersion = (value: string, place: Path) => {
    if (!semver.test(value)) {
      errors.push(invalid(place, value, 'must be a string compatible with semver.org spec 2.0.0'));
    }
    validateText(value, place);
  };
  if (attribute.string !== undefined) validateText(attribute.string, path.child('string'));
  if (attribute.version !== undefined) validateVersion(attribute.version, path.child('version'));
  attribute.strings?.forEach((value, i) => {
    validateText(value, path.child('strings').index(i));
  });
  attribute.versions?.forEach((value, i) => {
    validateVersion(value, path.child('versions').index(i));
  });
  const given = (['bool', 'int', 'string', 'version', ...listFields] as const).filter(
    (field) => attribute[field] !== undefined,
  ).length;
  if (given === 1) return errors;
  const value = given === 0 ? '' : internalForm('resource.v1.DeviceAttribute', attribute);
  return [...errors, invalid(path, value, 'exactly one value must be specified')];
}

function validatePlace(device: Device, path: Path): ErrorList {
  const { chosen, errors } = checkNodeSelection(device, { emptyName: 'must not be empty' }, path);
  const detail =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (chosen.length === 0) errors.push(required(path, detail));
  else if (chosen.length > 1) errors.push(invalid(path, `{${chosen.join(', ')}}`, detail));
  return errors;
}

function validateNoPlace({ nodeName, nodeSelector, allNodes }: Device, path: Path): ErrorList {
  if (nodeName === undefined && !nodeSelector && allNodes === undefined) return [];
  const detail =
    '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  return [invalid(path, undefined, detail)];
}

/** Validates the mappings of a device to allocatable resources of its node. */
function validateResourceMappings(device: Device, path: Path): ErrorList {
  const errors: ErrorList = [];
  for (const [name, mapping] of Object.entries(device.nodeAllocatableResourceMappings ?? {})) {
    const { allocationMultiplier, capacityKey } = mapping;
    const place = path.key(name);
    if (!isNativeResource(name)) errors.push(invalid(place, name, 'must be a node allocatable resource name'));
    if (allocationMultiplier === undefined && capacityKey === undefined) {
      errors.push(invalid(place, '', 'at least one of allocationMultiplier or capacityKey must be set'));
    }
    if (allocationMultiplier !== undefined && Quantity.parse(allocationMultiplier).sign() <= 0) {
      errors.push(invalid(place.child('allocationMultiplier'), allocationMultiplier, 'must be positive'));
    }
    if (capacityKey === '') {
      errors.push(invalid(place.child('capacityKey'), '', 'capacityKey must not be an empty string'));
    } else if (capacityKey !== undefined && !Object.hasOwn(device.capacity ?? {}, capacityKey)) {
      errors.push(notFound(place.child('capacityKey'), capacityKey));
    }
  }
  return errors;
}
