import { GroupResource, type ObjectMeta, Quantity } from '@coxswain/apimachinery';
import type { FeatureGates } from '../features/feature-gates.ts';
import type { Pod } from '../generated/core/v1.ts';
import type { DeviceClass, DeviceRequest, ResourceClaim } from '../generated/resource/v1.ts';
import { type Amounts, addTo, raiseTo } from './amounts.ts';
import { countName, type Evaluator, one } from './evaluator.ts';
import { implicitQuotaName, isExtendedQuotaName, podUsage, quotaNameOf } from './pod-usage.ts';

const groupResource = GroupResource.of('resource.k8s.io', 'resourceclaims');
/** The suffix of quota names such as `gpu.deviceclass.resource.k8s.io/devices`. */
const devicesOfClass = '.deviceclass.resource.k8s.io/devices';
const extendedClaimAnnotation = 'resource.kubernetes.io/extended-resource-claim';
/** The number of devices that a claim with allocationMode All counts for. */
const maxDevices = 32;

/** Looks up the objects that claims for extended resources refer to. */
export interface ClaimRelations {
  deviceClass(name: string): DeviceClass | undefined;
  deviceClasses(): readonly DeviceClass[];
  pod(namespace: string, name: string): Pod | undefined;
  claims(namespace: string): readonly ResourceClaim[];
}

interface Wanted {
  readonly deviceClassName: string;
  readonly allocationMode?: string;
  readonly count?: number;
}

function devices({ deviceClassName, allocationMode, count = 0 }: Wanted): Amounts {
  const number = allocationMode === 'ExactCount' ? count : allocationMode === 'All' ? maxDevices : 0;
  return new Map([[`${deviceClassName}${devicesOfClass}`, Quantity.of(number)]]);
}

/** Returns the devices of a request; of alternatives, the maximum per class. */
function requested({ exactly, firstAvailable }: DeviceRequest): Amounts {
  if (!firstAvailable?.length) return exactly ? devices(exactly) : new Map();
  const most: Amounts = new Map();
  for (const alternative of firstAvailable) raiseTo(most, devices(alternative));
  for (const [name, amount] of most) if (amount.isZero()) most.delete(name);
  return most;
}

const controllerOf = ({ ownerReferences }: ObjectMeta) => ownerReferences?.find(({ controller }) => controller);

/** Returns the owner reference to the pod for whose extended resources the claim was created. */
function extendedClaimOwner({ metadata }: ResourceClaim): { uid: string; name: string } | undefined {
  if (metadata.annotations?.[extendedClaimAnnotation] !== 'true') return undefined;
  const owner = controllerOf(metadata);
  return owner?.kind === 'Pod' && owner.apiVersion === 'v1' ? owner : undefined;
}

const madeBefore = ({ metadata: a }: ResourceClaim, { metadata: b }: ResourceClaim): boolean =>
  a.creationTimestamp === b.creationTimestamp
    ? (a.name ?? '') < (b.name ?? '')
    : (a.creationTimestamp ?? '') < (b.creationTimestamp ?? '');

/**
 * Returns the evaluator of claims, which use devices of classes and are counted. Devices that the usage of the claim's
 * pod already contains are not counted again.
 */
export function resourceClaimEvaluator(
  features: FeatureGates,
  now: () => Date,
  { deviceClass, deviceClasses, pod: findPod, claims }: ClaimRelations,
): Evaluator {
  const podLevel = features.enabled('PodLevelResources');
  const extended = features.enabled('DRAExtendedResource');

  const usageOfPodFor = (claim: ResourceClaim): Amounts => {
    const owner = extendedClaimOwner(claim);
    const { namespace = '', name } = claim.metadata;
    const pod = owner && findPod(namespace, owner.name);
    if (!pod || pod.metadata.uid !== owner.uid) return new Map();
    const known = pod.status?.extendedResourceClaimStatus;
    const isItsClaim = known
      ? known.resourceClaimName === name
      : !claims(namespace).some((other) => extendedClaimOwner(other)?.uid === owner.uid && madeBefore(other, claim));
    return isItsClaim ? podUsage(pod, now(), podLevel) : new Map();
  };

  const addExtended = (used: Amounts, claim: ResourceClaim): void => {
    const byPod = usageOfPodFor(claim);
    for (const [name, amount] of [...used]) {
      if (!name.endsWith(devicesOfClass) || name.length === devicesOfClass.length) continue;
      const className = name.slice(0, -devicesOfClass.length);
      const resource = deviceClass(className)?.spec?.extendedResourceName;
      for (const other of [implicitQuotaName(className), ...(resource ? [quotaNameOf(resource)] : [])]) {
        const known = byPod.get(other);
        const rest = known ? amount.sub(known) : amount;
        if (rest.sign() > 0) used.set(other, rest);
      }
    }
  };

  const isOfADeviceClass = (name: string): boolean =>
    isExtendedQuotaName(name) &&
    deviceClasses().some(
      ({ metadata, spec }) =>
        implicitQuotaName(metadata.name ?? '') === name ||
        (spec?.extendedResourceName !== undefined && quotaNameOf(spec.extendedResourceName) === name),
    );

  return {
    groupResource,
    handles: ({ operation, subresource }) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
    measures: (name) =>
      name === countName(groupResource) || name.endsWith(devicesOfClass) || (extended && isOfADeviceClass(name)),
    usage(object) {
      const claim = object as ResourceClaim;
      const used: Amounts = new Map([[countName(groupResource), one]]);
      for (const request of claim.spec?.devices?.requests ?? []) addTo(used, requested(request));
      if (extended) addExtended(used, claim);
      return used;
    },
  };
}
