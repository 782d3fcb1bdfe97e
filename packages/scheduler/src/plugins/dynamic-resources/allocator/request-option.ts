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

/** A way to satisfy a request: the request itself, or one of its alternatives. */
export interface RequestOption {
  /** The name of the whole request. */
  readonly requestName: string;
  /** The name in messages: of the request, or of the alternative alone. */
  readonly name: string;
  /** The name in results: `request`, or `request/alternative`. */
  readonly fullName: string;
  readonly deviceClassName: string;
  readonly selectors: readonly DeviceSelector[];
  readonly tolerations: readonly DeviceToleration[] | undefined;
  readonly adminAccess: boolean;
  readonly allocationMode: string;
  readonly count: number;
  readonly capacity: Amounts;
}

/** An option with the data that is computed for a search. */
export interface PreparedOption extends RequestOption {
  /** `namespace/name`. */
  readonly claim: string;
  readonly deviceClass: DeviceClass;
  readonly numDevices: number;
  /** For allocation mode All: all devices. */
  readonly allDevices: readonly DeviceEntry[] | undefined;
  /** Cached results of the selectors by device. */
  readonly selected: Map<DeviceEntry, boolean>;
}

/** In the order of preference. Empty for a request of an unknown kind. */
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
