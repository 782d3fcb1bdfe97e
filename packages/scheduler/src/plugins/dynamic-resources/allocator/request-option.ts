import type {
  DeviceClass,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
} from '@coxswain/api/resource/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import type { Amounts } from './capacity.ts';
import type { DeviceEntry } from './device-entry.ts';

/** One way to meet a request: the request itself, or one of its alternatives. */
export interface RequestOption {
  /** Of the request as a whole. */
  readonly requestName: string;
  /** As messages name it: of the request, or of the alternative alone. */
  readonly name: string;
  /** As results name it: `request`, or `request/alternative`. */
  readonly fullName: string;
  readonly deviceClassName: string;
  readonly selectors: readonly DeviceSelector[];
  readonly tolerations: readonly DeviceToleration[] | undefined;
  readonly adminAccess: boolean;
  readonly allocationMode: string;
  readonly count: number;
  readonly capacity: Amounts;
}

/** An option, and what has to be found for it. */
export interface PreparedOption extends RequestOption {
  /** `namespace/name`. */
  readonly claim: string;
  readonly deviceClass: DeviceClass;
  readonly numDevices: number;
  /** Of those that want all devices: which these are. */
  readonly allDevices: readonly DeviceEntry[] | undefined;
  /** Whether a device is what the selectors want, as far as it is known. */
  readonly selected: Map<DeviceEntry, boolean>;
}

/** In the order in which they are tried. Empty for a request of an unknown kind. */
export function optionsOf({ name, exactly, firstAvailable }: DeviceRequest): readonly RequestOption[] {
  if (firstAvailable?.length) {
    return firstAvailable.map((sub) => optionOf(sub, { requestName: name, name: sub.name, adminAccess: false }));
  }
  if (!exactly) return [];
  return [optionOf(exactly, { requestName: name, name, adminAccess: exactly.adminAccess ?? false })];
}

function optionOf(
  request: ExactDeviceRequest | DeviceSubRequest,
  names: Pick<RequestOption, 'requestName' | 'name' | 'adminAccess'>,
): RequestOption {
  const { deviceClassName, tolerations, allocationMode = '', count = 0, capacity } = request;
  const selectors = request.selectors ?? [];
  return {
    ...names,
    fullName: 'name' in request ? `${names.requestName}/${request.name}` : names.requestName,
    deviceClassName,
    selectors,
    tolerations,
    allocationMode,
    count,
    capacity: new Map(Object.entries(capacity?.requests ?? {}).map(([key, text]) => [key, Quantity.parse(text)])),
  };
}
