import type {
  Device,
  DeviceRequest,
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
  ResourceSlice,
} from '../../generated/resource/v1.ts';

type Allocation = Pick<ExactDeviceRequest | DeviceSubRequest, 'allocationMode' | 'count'>;

/** One device, unless it is said otherwise. */
export function setAllocationDefaults(request: Allocation): void {
  request.allocationMode ||= 'ExactCount';
  if (request.allocationMode === 'ExactCount') request.count ||= 1;
}

function setRequestDefaults({ exactly, firstAvailable }: DeviceRequest): void {
  if (exactly) setAllocationDefaults(exactly);
  firstAvailable?.forEach(setAllocationDefaults);
}

function setClaimSpecDefaults({ devices }: ResourceClaimSpec): void {
  devices?.requests?.forEach(setRequestDefaults);
}

/** A taint exists from when the server first sees it. */
export function setTaintDefaults(taint: { timeAdded?: string }): void {
  taint.timeAdded ??= new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}

type DeviceFields = Pick<Device, 'taints' | 'nodeAllocatableResourceMappings'>;

export function setDeviceDefaults({ taints, nodeAllocatableResourceMappings }: DeviceFields): void {
  taints?.forEach(setTaintDefaults);
  for (const mapping of Object.values(nodeAllocatableResourceMappings ?? {})) mapping.allocationMultiplier ??= '1';
}

/** The same in v1 and v1beta2. */
export const defaults = {
  ResourceClaim: ({ spec, status }: ResourceClaim): void => {
    setClaimSpecDefaults(spec);
    setTolerationDefaults(spec, status);
  },
  ResourceClaimTemplate: ({ spec }: ResourceClaimTemplate): void => {
    setClaimSpecDefaults(spec.spec);
  },
  ResourceSlice: ({ spec }: ResourceSlice): void => {
    spec.devices?.forEach(setDeviceDefaults);
  },
};
