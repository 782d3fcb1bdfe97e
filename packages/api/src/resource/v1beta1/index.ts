import type {
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
  ResourceSlice,
} from '../../generated/resource/v1beta1.ts';
import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { setDeviceDefaults, setRequestDefaults, setResultDefaults, setTolerationDefaults } from '../v1/defaults.ts';
import { resourceSliceFieldLabels } from '../v1/resource-slice.ts';
import { resourceClaimConversion, resourceClaimTemplateConversion, resourceSliceConversion } from './conversion.ts';

/** Sets the defaults of requests. A request without a class has alternatives and no fields of its own. */
function setClaimSpecDefaults({ devices }: ResourceClaimSpec): void {
  for (const request of devices?.requests ?? []) {
    if (request.deviceClassName) setRequestDefaults(request);
    for (const alternative of request.firstAvailable ?? []) setRequestDefaults(alternative);
    setTolerationDefaults(request);
  }
}

export const behaviour: GroupVersionBehaviour = {
  group: 'resource.k8s.io',
  version: 'v1beta1',
  fieldLabels: { ResourceSlice: resourceSliceFieldLabels('v1beta1') },
  defaults: {
    ResourceClaim: (claim: ResourceClaim): void => {
      setClaimSpecDefaults(claim.spec);
      setResultDefaults(claim);
    },
    ResourceClaimTemplate: ({ spec }: ResourceClaimTemplate): void => setClaimSpecDefaults(spec.spec),
    ResourceSlice: ({ spec }: ResourceSlice, now?: () => Date): void => {
      for (const { basic } of spec.devices ?? []) if (basic) setDeviceDefaults(basic, now);
    },
  },
  conversions: {
    ResourceClaim: resourceClaimConversion,
    ResourceClaimTemplate: resourceClaimTemplateConversion,
    ResourceSlice: resourceSliceConversion,
  },
};
