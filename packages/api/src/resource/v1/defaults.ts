import { datesOf } from '@coxswain/apimachinery/clock';
import { timeFromDate } from '@coxswain/apimachinery/time';
import type {
  Device,
  DeviceTaint,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
  ResourceSlice,
} from '../../generated/resource/v1.ts';

type Request = Pick<ExactDeviceRequest, 'allocationMode' | 'count' | 'tolerations'>;

/** Sets the defaults of a request: exactly one device. */
export function setRequestDefaults(request: Request): void {
  request.allocationMode ||= 'ExactCount';
  if (request.allocationMode === 'ExactCount') request.count ||= 1;
  setTolerationDefaults(request);
}

export function setTolerationDefaults({ tolerations }: { readonly tolerations?: readonly DeviceToleration[] }): void {
  for (const toleration of tolerations ?? []) toleration.operator ||= 'Equal';
}

function setClaimSpecDefaults({ devices }: ResourceClaimSpec): void {
  for (const { exactly, firstAvailable = [] } of devices?.requests ?? []) {
    if (exactly) setRequestDefaults(exactly);
    for (const alternative of firstAvailable) setRequestDefaults(alternative);
  }
}

/** Sets the time of a taint to now if it has none. */
export function setTaintDefaults(taint: Partial<DeviceTaint>, now: () => Date = datesOf()): void {
  taint.timeAdded ??= timeFromDate(now());
}

type DeviceFields = Pick<Device, 'taints' | 'nodeAllocatableResourceMappings'>;

export function setDeviceDefaults({ taints, nodeAllocatableResourceMappings }: DeviceFields, now?: () => Date): void {
  for (const taint of taints ?? []) setTaintDefaults(taint, now);
  for (const mapping of Object.values(nodeAllocatableResourceMappings ?? {})) mapping.allocationMultiplier ??= '1';
}

/** Sets the defaults of tolerations in allocation results. */
export function setResultDefaults({ status }: Pick<ResourceClaim, 'status'>): void {
  for (const result of status?.allocation?.devices?.results ?? []) setTolerationDefaults(result);
}

/** The defaults of v1 and v1beta2, which are the same. */
export const defaults = {
  ResourceClaim: (claim: ResourceClaim): void => {
    setClaimSpecDefaults(claim.spec);
    setResultDefaults(claim);
  },
  ResourceClaimTemplate: ({ spec }: ResourceClaimTemplate): void => setClaimSpecDefaults(spec.spec),
  ResourceSlice: ({ spec }: ResourceSlice, now?: () => Date): void => {
    for (const device of spec.devices ?? []) setDeviceDefaults(device, now);
  },
};
