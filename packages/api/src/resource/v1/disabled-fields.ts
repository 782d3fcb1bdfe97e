import type { FeatureName } from '../../features/feature-gates.ts';
import type {
  Device,
  DeviceAttribute,
  DeviceRequest,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceSlice,
} from '../../generated/resource/v1.ts';
import type { StrategyContext } from '../../strategy/strategy.ts';

/** Returns a copy without the fields. */
function without<T extends object>(value: T, ...fields: (keyof T)[]): T {
  if (!fields.some((field) => value[field] !== undefined)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !fields.includes(name as keyof T))) as T;
}

/** Fields of features, and a function that reports whether an object uses them. */
interface FeatureFields<T> {
  readonly features: readonly FeatureName[];
  readonly isUsed: (value: T) => boolean;
  readonly drop: (value: T) => T;
}

/** Drops the fields of disabled features, unless the old object uses them. */
function dropDisabled<T>(
  value: T,
  old: T | undefined,
  rules: readonly FeatureFields<T>[],
  { features }: StrategyContext,
): T {
  return rules
    .filter((rule) => !rule.features.every((name) => features.enabled(name)) && !(old && rule.isUsed(old)))
    .reduce((current, rule) => rule.drop(current), value);
}

const requestsOf = (spec: ResourceClaimSpec): DeviceRequest[] => spec.devices?.requests ?? [];

const withRequests = (spec: ResourceClaimSpec, change: (request: DeviceRequest) => DeviceRequest): ResourceClaimSpec =>
  spec.devices?.requests
    ? { ...spec, devices: { ...spec.devices, requests: spec.devices.requests.map(change) } }
    : spec;

/** Reports whether a request, or one of its alternatives, has the field. */
const hasInRequest =
  (field: 'tolerations' | 'capacity') =>
  ({ exactly, firstAvailable = [] }: DeviceRequest): boolean =>
    [...(exactly ? [exactly] : []), ...firstAvailable].some((one) => one[field] !== undefined);

const withoutInRequest =
  (field: 'tolerations' | 'capacity') =>
  (request: DeviceRequest): DeviceRequest => ({
    ...request,
    ...(request.exactly && { exactly: without(request.exactly, field) }),
    ...(request.firstAvailable && { firstAvailable: request.firstAvailable.map((one) => without(one, field)) }),
  });

const claimRules: readonly FeatureFields<ResourceClaimSpec>[] = [
  {
    features: ['DRAPrioritizedList'],
    isUsed: (spec) => requestsOf(spec).some(({ firstAvailable }) => firstAvailable?.length),
    drop: (spec) => withRequests(spec, (request) => without(request, 'firstAvailable')),
  },
  {
    features: ['DRADeviceTaints'],
    isUsed: (spec) => requestsOf(spec).some(hasInRequest('tolerations')),
    drop: (spec) => withRequests(spec, withoutInRequest('tolerations')),
  },
  {
    features: ['DRAAdminAccess'],
    isUsed: (spec) => requestsOf(spec).some(({ exactly }) => exactly?.adminAccess !== undefined),
    drop: (spec) =>
      withRequests(spec, (request) =>
        request.exactly ? { ...request, exactly: without(request.exactly, 'adminAccess') } : request,
      ),
  },
  {
    features: ['DRAConsumableCapacity'],
    isUsed: (spec) =>
      requestsOf(spec).some(hasInRequest('capacity')) ||
      (spec.devices?.constraints ?? []).some(({ distinctAttribute }) => distinctAttribute !== undefined),
    drop: (spec) => {
      const dropped = withRequests(spec, withoutInRequest('capacity'));
      const constraints = dropped.devices?.constraints?.map((one) => without(one, 'distinctAttribute'));
      return constraints ? { ...dropped, devices: { ...dropped.devices, constraints } } : dropped;
    },
  },
];

export const dropDisabledClaimFields = (
  spec: ResourceClaimSpec,
  old: ResourceClaimSpec | undefined,
  context: StrategyContext,
): ResourceClaimSpec => dropDisabled(spec, old, claimRules, context);

type Status = NonNullable<ResourceClaim['status']>;
type Result = NonNullable<NonNullable<NonNullable<Status['allocation']>['devices']>['results']>[number];

const resultsOf = ({ status }: ResourceClaim): Result[] => status?.allocation?.devices?.results ?? [];

/** Returns a copy whose allocation results lack the fields. */
function withoutInResults(claim: ResourceClaim, ...fields: (keyof Result)[]): ResourceClaim {
  const { allocation } = claim.status ?? {};
  if (!allocation?.devices?.results) return claim;
  const results = allocation.devices.results.map((result) => without(result, ...fields));
  return {
    ...claim,
    status: { ...claim.status, allocation: { ...allocation, devices: { ...allocation.devices, results } } },
  };
}

const specUses = (feature: FeatureName, { spec }: ResourceClaim): boolean =>
  claimRules.some(({ features, isUsed }) => features.includes(feature) && isUsed(spec));

const statusRules: readonly FeatureFields<ResourceClaim>[] = [
  {
    features: ['DRAResourceClaimDeviceStatus'],
    isUsed: ({ status }) => Boolean(status?.devices?.length),
    drop: (claim) => (claim.status ? { ...claim, status: without(claim.status, 'devices') } : claim),
  },
  {
    features: ['DRAAdminAccess'],
    isUsed: (claim) =>
      specUses('DRAAdminAccess', claim) || resultsOf(claim).some(({ adminAccess }) => adminAccess !== undefined),
    drop: (claim) => withoutInResults(claim, 'adminAccess'),
  },
  {
    features: ['DRAConsumableCapacity'],
    isUsed: (claim) =>
      specUses('DRAConsumableCapacity', claim) ||
      resultsOf(claim).some((result) => result.shareID !== undefined || result.consumedCapacity !== undefined) ||
      (claim.status?.devices ?? []).some(({ shareID }) => shareID !== undefined),
    drop: (claim) => {
      const dropped = withoutInResults(claim, 'shareID', 'consumedCapacity');
      const devices = dropped.status?.devices?.map((device) => without(device, 'shareID'));
      return devices ? { ...dropped, status: { ...dropped.status, devices } } : dropped;
    },
  },
  {
    features: ['DRADeviceBindingConditions'],
    isUsed: (claim) => resultsOf(claim).some((result) => result.bindingConditions ?? result.bindingFailureConditions),
    drop: (claim) => withoutInResults(claim, 'bindingConditions', 'bindingFailureConditions'),
  },
];

export function dropDisabledStatusFields(claim: ResourceClaim, old: ResourceClaim, context: StrategyContext): void {
  const { status } = dropDisabled(claim, old, statusRules, context);
  if (status) claim.status = status;
}

const devicesOf = ({ spec }: ResourceSlice): Device[] => spec.devices ?? [];

const withDevices = (slice: ResourceSlice, change: (device: Device) => Device): ResourceSlice =>
  slice.spec.devices ? { ...slice, spec: { ...slice.spec, devices: slice.spec.devices.map(change) } } : slice;

const deviceFields = (features: readonly FeatureName[], ...fields: (keyof Device)[]): FeatureFields<ResourceSlice> => ({
  features,
  isUsed: (slice) => devicesOf(slice).some((device) => fields.some((field) => device[field] !== undefined)),
  drop: (slice) => withDevices(slice, (device) => without(device, ...fields)),
});

const mapValues = <T>(map: Record<string, T>, change: (value: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));

const partitioned = deviceFields(
  ['DRAPartitionableDevices'],
  'consumesCounters',
  'nodeName',
  'nodeSelector',
  'allNodes',
);
const listFields: readonly (keyof DeviceAttribute)[] = ['bools', 'ints', 'strings', 'versions'];

const sliceRules: readonly FeatureFields<ResourceSlice>[] = [
  deviceFields(['DRADeviceTaints'], 'taints'),
  {
    ...partitioned,
    isUsed: (slice) =>
      partitioned.isUsed(slice) ||
      Boolean(slice.spec.sharedCounters?.length) ||
      slice.spec.perDeviceNodeSelection !== undefined,
    drop: (slice) =>
      partitioned.drop({ ...slice, spec: without(slice.spec, 'sharedCounters', 'perDeviceNodeSelection') }),
  },
  deviceFields(
    ['DRADeviceBindingConditions', 'DRAResourceClaimDeviceStatus'],
    'bindingConditions',
    'bindingFailureConditions',
    'bindsToNode',
  ),
  {
    features: ['DRAConsumableCapacity'],
    isUsed: (slice) =>
      devicesOf(slice).some(
        ({ allowMultipleAllocations, capacity = {} }) =>
          allowMultipleAllocations !== undefined ||
          Object.values(capacity).some(({ requestPolicy }) => requestPolicy !== undefined),
      ),
    drop: (slice) =>
      withDevices(slice, (device) => ({
        ...without(device, 'allowMultipleAllocations'),
        ...(device.capacity && { capacity: mapValues(device.capacity, (one) => without(one, 'requestPolicy')) }),
      })),
  },
  deviceFields(['DRANodeAllocatableResources'], 'nodeAllocatableResourceMappings'),
  {
    features: ['DRAListTypeAttributes'],
    isUsed: (slice) =>
      devicesOf(slice).some(({ attributes = {} }) =>
        Object.values(attributes).some((attribute) => listFields.some((field) => attribute[field] !== undefined)),
      ),
    drop: (slice) =>
      withDevices(slice, (device) => ({
        ...device,
        ...(device.attributes && { attributes: mapValues(device.attributes, (one) => without(one, ...listFields)) }),
      })),
  },
];

export function dropDisabledSliceFields(
  slice: ResourceSlice,
  old: ResourceSlice | undefined,
  context: StrategyContext,
): void {
  slice.spec = dropDisabled(slice, old, sliceRules, context).spec;
}
