import {
  type ErrorList,
  forbidden,
  invalid,
  isLongerThan,
  isValidInterfaceAddress,
  jsonEquals,
  notSupported,
  Path,
  required,
  semanticEqual,
  tooLong,
  tooMany,
  validateConditions,
} from '@coxswain/apimachinery';
import { validateNodeSelector } from '../../core/v1/node-selector.ts';
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimConsumerReference,
} from '../../generated/resource/v1.ts';
import { validateBindingConditions } from './binding-conditions.ts';
import {
  type RequestNames,
  requestNamesOf,
  validateRequestReference,
  validateRequestReferences,
} from './claim-spec.ts';
import { validateSet, validateSlice } from './collections.ts';
import { maxConfigs, validateConfiguration, validateRawObject } from './configuration.ts';
import { internalForm } from './internal-form.ts';
import { validateDriverName, validateLabel, validatePoolName, validateUid } from './names.ts';

const maxConsumers = 256;
const maxResults = 32;
const maxConditions = 8;
const maxIPs = 16;
const maxInterfaceNameLength = 256;
const maxHardwareAddressLength = 128;

type DeviceId = Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>;

/** Returns the identity of an allocated device, or of one share of it. */
export const deviceKey = ({ driver, pool, device, shareID = '' }: DeviceId): string =>
  [driver, pool, device, shareID].join('\n');

const shown = ({ driver = '', pool = '', device = '', shareID = '' }: DeviceId): object => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
});

export function validateClaimStatusUpdate(claim: ResourceClaim, old: ResourceClaim): ErrorList {
  const path = Path.of('status');
  const { reservedFor = [], devices, allocation } = claim.status ?? {};
  const allocated = new Set((allocation?.devices?.results ?? []).map(deviceKey));
  const errors = [
    ...validateSet(reservedFor, maxConsumers, validateConsumer, ({ uid }) => uid, path.child('reservedFor')),
    ...validateSet(
      devices,
      undefined,
      (device, devicePath) => validateDeviceStatus(device, allocated, devicePath),
      deviceKey,
      path.child('devices'),
      shown,
    ),
  ];
  if (reservedFor.length > 0 && !allocation) {
    errors.push(forbidden(path.child('reservedFor'), 'may not be specified when `allocated` is not set'));
  } else if (reservedFor.length > 0 && claim.metadata.deletionTimestamp) {
    const before = old.status?.reservedFor ?? [];
    if (!reservedFor.every((consumer) => before.some((other) => jsonEquals(consumer, other)))) {
      const detail = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
      errors.push(forbidden(path.child('reservedFor'), detail));
    }
  }
  if (!allocation) return errors;
  const allocationPath = path.child('allocation');
  if (!old.status?.allocation) {
    return [...errors, ...validateAllocation(allocation, requestNamesOf(claim.spec.devices), allocationPath)];
  }
  if (semanticEqual(allocation, old.status.allocation)) return errors;
  return [
    ...errors,
    invalid(allocationPath, internalForm('resource.v1.AllocationResult', allocation), 'field is immutable'),
  ];
}

function validateConsumer(consumer: ResourceClaimConsumerReference, path: Path): ErrorList {
  return (['resource', 'name', 'uid'] as const)
    .filter((field) => !consumer[field])
    .map((field) => required(path.child(field)));
}

function validateAllocation({ devices, nodeSelector }: AllocationResult, names: RequestNames, path: Path): ErrorList {
  const devicesPath = path.child('devices');
  return [
    ...validateSlice(
      devices?.results,
      maxResults,
      (result, resultPath) => validateResult(result, names, resultPath),
      devicesPath.child('results'),
    ),
    ...validateSlice(
      devices?.config,
      // Configurations of the class and of the claim.
      2 * maxConfigs,
      (config, configPath) => [
        ...validateConfigSource(config, configPath.child('source')),
        ...validateRequestReferences(config.requests, names, configPath.child('requests')),
        ...validateConfiguration(config, configPath),
      ],
      devicesPath.child('config'),
    ),
    ...(nodeSelector ? validateNodeSelector(nodeSelector, false, path.child('nodeSelector')) : []),
  ];
}

function validateResult(result: DeviceRequestAllocationResult, names: RequestNames, path: Path): ErrorList {
  return [
    ...validateRequestReference(result.request ?? '', names, path.child('request')),
    ...validateDriverName(result.driver, path.child('driver')),
    ...validatePoolName(result.pool, path.child('pool')),
    ...validateLabel(result.device, path.child('device')),
    ...validateBindingConditions(result, path),
    ...(result.shareID === undefined ? [] : validateUid(result.shareID, path.child('shareID'))),
  ];
}

function validateConfigSource({ source }: DeviceAllocationConfiguration, path: Path): ErrorList {
  const sources = ['FromClaim', 'FromClass'];
  if (!source) return [required(path)];
  return sources.includes(source) ? [] : [notSupported(path, source, sources)];
}

function validateDeviceStatus(device: AllocatedDeviceStatus, allocated: ReadonlySet<string>, path: Path): ErrorList {
  const errors = [
    ...validateDriverName(device.driver, path.child('driver')),
    ...validatePoolName(device.pool, path.child('pool')),
    ...validateLabel(device.device, path.child('device')),
    ...(device.shareID === undefined ? [] : validateUid(device.shareID, path.child('shareID'))),
  ];
  if (!allocated.has(deviceKey(device))) {
    errors.push(invalid(path, shown(device), 'must be an allocated device in the claim'));
  }
  const { data, networkData } = device;
  const conditions = device.conditions ?? [];
  if (conditions.length > maxConditions) {
    errors.push(tooMany(path.child('conditions'), conditions.length, maxConditions));
  }
  errors.push(...validateConditions(conditions, path.child('conditions')));
  if (data !== undefined && data !== null) errors.push(...validateRawObject(data, path.child('data')));
  if (networkData) errors.push(...validateNetworkData(networkData, path.child('networkData')));
  return errors;
}

function validateNetworkData(
  { interfaceName = '', hardwareAddress = '', ips }: NetworkDeviceData,
  path: Path,
): ErrorList {
  const limited = (text: string, maxBytes: number, place: Path) =>
    isLongerThan(text, maxBytes) ? [tooLong(place, maxBytes)] : [];
  return [
    ...limited(interfaceName, maxInterfaceNameLength, path.child('interfaceName')),
    ...limited(hardwareAddress, maxHardwareAddressLength, path.child('hardwareAddress')),
    ...validateSet(
      ips,
      maxIPs,
      (ip, ipPath) => isValidInterfaceAddress(ipPath, ip),
      (ip) => ip,
      path.child('ips'),
    ),
  ];
}
