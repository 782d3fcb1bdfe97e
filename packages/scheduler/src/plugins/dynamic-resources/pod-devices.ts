import type { ContainerExtendedResourceRequest, Node } from '@coxswain/api/core/v1';
import type { AllocationResult, ResourceClaim } from '@coxswain/api/resource/v1';
import { StateKey } from '../../framework/cycle-state.ts';
import type { Allocator } from './allocator/allocator.ts';

/** What a node could give to a pod. */
export interface NodeAllocation {
  /** For each claim that has no allocation yet, in order. */
  results(): readonly AllocationResult[];
  /** For the pod's extended resources, as far as this node has them as devices. */
  readonly extendedClaim: ResourceClaim | undefined;
  readonly mappings: readonly ContainerExtendedResourceRequest[];
}

/** What is known of a claim of the pod. */
export interface ClaimInfo {
  /** Of one that is allocated: where its devices can be used. */
  readonly isAvailableOn: ((node: Node) => boolean) | undefined;
  /** Set by Reserve, written by PreBind. */
  allocation?: AllocationResult;
}

/** The claims of a pod in one attempt to schedule it. */
export interface PodDevices {
  /** As they were at the beginning, or as PreBind has written them. The one for extended resources comes last. */
  readonly claims: ResourceClaim[];
  readonly infos: readonly ClaimInfo[];
  /** How many of them the user named. */
  readonly userClaims: number;
  /** The uid under which the claim for extended resources is known until it is written. */
  readonly extendedUid: string | undefined;
  /** Set when something has to be allocated. */
  readonly allocator: Allocator | undefined;
  /** By index: allocated, but not for some node. */
  readonly unavailable: Set<number>;
  readonly byNode: Map<string, NodeAllocation>;
}

/** Written for pods that have claims. Trials add what they find out, which holds for the pod itself too. */
export const podDevices = new StateKey<PodDevices>('DynamicResources');

export const extendedClaimIn = ({ claims, userClaims }: PodDevices): ResourceClaim | undefined => claims[userClaims];

export const isAllocated = ({ status }: ResourceClaim): boolean => status?.allocation !== undefined;

/** The indexes of claims that have no allocation. */
export const toAllocate = ({ claims }: PodDevices): number[] =>
  claims.flatMap((claim, index) => (isAllocated(claim) ? [] : [index]));
