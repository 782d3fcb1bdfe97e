import type { ResourceClaim } from '@coxswain/api/resource/v1';
import { Path } from '@coxswain/apimachinery/field';
import { nodeSelectorTest } from '@coxswain/component-helpers';
import type { PodInfo } from '../../framework/pod-info.ts';
import { Allocator } from './allocator/allocator.ts';
import type { DeviceManager } from './device-manager.ts';
import { mayBeDevice, newExtendedClaim } from './extended-resources.ts';
import { ClaimsNotReady, keyOfClaim, podResourceClaims } from './pod-claims.ts';
import { type ClaimInfo, isAllocated, type PodDevices } from './pod-devices.ts';
import type { SearchDeadline } from './search-deadline.ts';

export interface PrepareOptions {
  readonly manager: DeviceManager;
  readonly deadline: SearchDeadline;
  readonly newShareID: () => string;
}

/**
 * Returns the claims of a pod with everything needed to find devices for them; undefined for a pod without claims. Throws ClaimsNotReady
 * when the pod has to wait on any node, and other Errors for invalid objects.
 */
export function preparePod(pod: PodInfo, options: PrepareOptions): PodDevices | undefined {
  const { manager } = options;
  const claims = podResourceClaims(pod.pod, (key) => manager.claims.get(key));
  const userClaims = claims.length;
  const extendedClaim = extendedClaimFor(pod, manager);
  if (extendedClaim) claims.push(extendedClaim);
  if (claims.length === 0) return undefined;
  const infos = claims.map((claim): ClaimInfo => {
    if (isAllocated(claim)) return { isAvailableOn: availability(claim) };
    checkPending(claim, manager);
    if (claim !== extendedClaim) checkRequests(claim, manager);
    return { isAvailableOn: undefined };
  });
  return {
    claims,
    infos,
    userClaims,
    extendedUid: extendedClaim?.metadata.uid,
    allocator: claims.every(isAllocated) ? undefined : newAllocator(options),
    unavailable: new Set(),
    byNode: new Map(),
  };
}

/** Returns the claim of an earlier attempt, or a new one without requests; undefined when the pod needs none. */
function extendedClaimFor({ pod, resources }: PodInfo, manager: DeviceManager): ResourceClaim | undefined {
  let isNeeded = false;
  for (const [name, amount] of resources.requests.scalar ?? []) {
    isNeeded ||= amount !== 0 && mayBeDevice(name) && manager.classes.forResource(name) !== undefined;
  }
  if (!isNeeded) return undefined;
  return manager.claims.extendedClaimOf(pod.metadata.uid ?? '') ?? newExtendedClaim(pod);
}

function availability({ status }: ResourceClaim): ClaimInfo['isAvailableOn'] {
  const { nodeSelector } = status?.allocation ?? {};
  if (!nodeSelector) return undefined;
  const errors: string[] = [];
  const test = nodeSelectorTest(nodeSelector, Path.of(''), errors);
  if (errors.length > 0) throw new Error(errors.join(', '));
  return test;
}

/** Throws when the claim is being allocated for another pod. */
function checkPending(claim: ResourceClaim, { claims }: DeviceManager): void {
  if (!claims.pendingAllocation(claim.metadata.uid ?? '')) return;
  throw new ClaimsNotReady(`resource claim ${keyOfClaim(claim)} is in the process of being allocated`);
}

function checkRequests(claim: ResourceClaim, manager: DeviceManager): void {
  for (const { name, exactly, firstAvailable } of claim.spec.devices?.requests ?? []) {
    if (exactly) checkClass(manager, exactly.deviceClassName, name);
    else if (firstAvailable?.length) {
      for (const { name: option, deviceClassName } of firstAvailable) {
        checkClass(manager, deviceClassName, `${name}/${option}`);
      }
    } else throw new ClaimsNotReady(`resource claim ${keyOfClaim(claim)}, request ${name}: unknown request type`);
  }
}

function checkClass({ classes }: DeviceManager, className: string, request: string): void {
  if (!className) throw new Error(`request ${request}: unsupported request type`);
  if (!classes.get(className)) {
    throw new ClaimsNotReady(`request ${request}: device class ${className} does not exist`);
  }
}

function newAllocator({ manager, deadline, newShareID }: PrepareOptions): Allocator {
  const { matches, slices, claims, classes } = manager;
  if (!matches) throw new Error('the CEL library is being loaded');
  return new Allocator({
    slices,
    allocated: claims.allocatedDevices(),
    deviceClass: (name) => classes.get(name),
    matches: (expression, entry) => matches.matches(expression, entry),
    newShareID,
    onStep: () => deadline.check(),
  });
}
