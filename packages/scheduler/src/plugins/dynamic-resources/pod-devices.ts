import type { ContainerExtendedResourceRequest, Node } from '@coxswain/api/core/v1';
import type { AllocationResult, ResourceClaim } from '@coxswain/api/resource/v1';
import { StateKey } from '../../framework/cycle-state.ts';
import type { Allocator } from './allocator/allocator.ts';

/** A possible allocation of a pod's claims on a node. */
export interface NodeAllocation {
  /** The allocations for the claims that do not have one yet, in order. */
  results(): readonly AllocationResult[];
  /** The claim for those extended resources that this node provides as devices. */
  readonly extendedClaim: ResourceClaim | undefined;
  readonly mappings: readonly ContainerExtendedResourceRequest[];
}

/** Scheduling information about a claim of the pod. */
export interface ClaimInfo {
  /** For an allocated claim: whether a node can use its devices. */
  readonly isAvailableOn: ((node: Node) => boolean) | undefined;
  /** Set by Reserve, written by PreBind. */
  allocation?: AllocationResult;
}

/** The claims of a pod in one attempt to schedule it. */
export interface PodDevices {
  /** As of the start of the attempt, or as written by PreBind. The claim for extended resources is last. */
  readonly claims: ResourceClaim[];
  readonly infos: readonly ClaimInfo[];
  /** The number of claims without the one for extended resources. */
  readonly userClaims: number;
  /** The UID of the claim for extended resources until it is written. */
  readonly extendedUid: string | undefined;
  /** Set when a claim has to be allocated. */
  readonly allocator: Allocator | undefined;
  /** Indexes of allocated claims that some node cannot use. */
  readonly unavailable: Set<number>;
  readonly byNode: Map<string, NodeAllocation>;
}

/** Set for pods with claims. It is shared with clones of the state: their results apply to the pod as well. */
export const podDevices = new StateKey<PodDevices>('DynamicResources');

export const extendedClaimIn = ({ claims, userClaims }: PodDevices): ResourceClaim | undefined => claims[userClaims];

export const isAllocated = ({ status }: ResourceClaim): boolean => status?.allocation !== undefined;

/** The indexes of claims without an allocation. */
export const toAllocate = ({ claims }: PodDevices): number[] =>
  claims.flatMap((claim, index) => (isAllocated(claim) ? [] : [index]));
