import type * as v1 from '../../generated/resource/v1.ts';
import type * as v1beta1 from '../../generated/resource/v1beta1.ts';
import type { HubConversion } from '../../strategy/strategy.ts';

/** Converts a request to v1. In v1beta1 the fields of `exactly` are in the request itself. */
function requestToHub(request: v1beta1.DeviceRequest): v1.DeviceRequest {
  const { name, firstAvailable, ...exactly } = request;
  const isExact = Object.values(exactly).some((value) => value !== undefined && value !== '' && value !== 0);
  return {
    name,
    ...(isExact && { exactly: { deviceClassName: '', ...exactly } }),
    ...(firstAvailable && { firstAvailable }),
  };
}

const requestFromHub = ({ name, exactly, firstAvailable }: v1.DeviceRequest): v1beta1.DeviceRequest => ({
  name,
  ...exactly,
  ...(firstAvailable && { firstAvailable }),
});

/** Returns the spec with every request converted. */
function withRequests<A extends object, B extends object>(
  spec: { readonly devices?: { readonly requests?: readonly A[] | null } },
  change: (request: A) => B,
): object {
  const requests = spec.devices?.requests;
  return requests ? { ...spec, devices: { ...spec.devices, requests: requests.map(change) } } : spec;
}

export const resourceClaimConversion: HubConversion<v1beta1.ResourceClaim, v1.ResourceClaim> = {
  toHub: (claim) => ({ ...claim, spec: withRequests(claim.spec, requestToHub) }) as v1.ResourceClaim,
  fromHub: (claim) => ({ ...claim, spec: withRequests(claim.spec, requestFromHub) }) as v1beta1.ResourceClaim,
};

export const resourceClaimTemplateConversion: HubConversion<v1beta1.ResourceClaimTemplate, v1.ResourceClaimTemplate> = {
  toHub: (template) =>
    ({
      ...template,
      spec: { ...template.spec, spec: withRequests(template.spec.spec, requestToHub) },
    }) as v1.ResourceClaimTemplate,
  fromHub: (template) =>
    ({
      ...template,
      spec: { ...template.spec, spec: withRequests(template.spec.spec, requestFromHub) },
    }) as v1beta1.ResourceClaimTemplate,
};

/** Converts slices. In v1beta1 the fields of a device are in `basic`. */
export const resourceSliceConversion: HubConversion<v1beta1.ResourceSlice, v1.ResourceSlice> = {
  toHub: (slice) => {
    const { devices, ...spec } = slice.spec;
    return {
      ...slice,
      spec: { ...spec, ...(devices && { devices: devices.map(({ name, basic }) => ({ name, ...basic })) }) },
    } as v1.ResourceSlice;
  },
  fromHub: (slice) => {
    const { devices, ...spec } = slice.spec;
    return {
      ...slice,
      spec: { ...spec, ...(devices && { devices: devices.map(({ name, ...basic }) => ({ name, basic })) }) },
    } as v1beta1.ResourceSlice;
  },
};
