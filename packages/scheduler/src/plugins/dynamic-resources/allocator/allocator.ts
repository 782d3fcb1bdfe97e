import type { Node } from '@coxswain/api/core/v1';
import type {
  AllocationResult,
  DeviceClass,
  DeviceRequest,
  DeviceSelector,
  ResourceClaim,
} from '@coxswain/api/resource/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { AllocatedDevices } from './allocated-devices.ts';
import { allocationResult } from './allocation-result.ts';
import { hasCapacity } from './capacity.ts';
import { type Constraint, newConstraint } from './constraint.ts';
import { AvailableCounters } from './counters.ts';
import type { DeviceEntry } from './device-entry.ts';
import { type ClaimToAllocate, DeviceSearch, maxDevicesOfClaim } from './device-search.ts';
import type { Pool } from './pool.ts';
import { optionsOf, type PreparedOption, type RequestOption } from './request-option.ts';
import type { NodePools, SliceIndex } from './slice-index.ts';

export interface AllocatorOptions {
  readonly slices: SliceIndex;
  readonly allocated: AllocatedDevices;
  deviceClass(name: string): DeviceClass | undefined;
  /** Whether the expression matches the device. Throws `SelectorError`. */
  matches(expression: string, entry: DeviceEntry): boolean;
  readonly newShareID: () => string;
  /** Called at every step of the search; throws to end it. */
  readonly onStep?: () => void;
}

/** A CEL expression that cannot be compiled, or fails for a device. */
export class SelectorError extends Error {
  constructor(when: 'compile' | 'runtime', cause: unknown) {
    super(`CEL ${when} error: ${messageOf(cause)}`, { cause });
  }
}

/** Devices cannot be allocated on this node, but possibly on others. */
export class UnusableNodeError extends Error {}

/** Allocates devices for claims, on one node after the other. Existing allocations and slices must not change meanwhile. */
export class Allocator {
  readonly #options: AllocatorOptions;
  /** By pool, for all nodes. */
  readonly #counters = new Map<string, AvailableCounters>();
  readonly #requests = new WeakMap<DeviceRequest, readonly RequestOption[]>();

  constructor(options: AllocatorOptions) {
    this.#options = options;
  }

  /**
   * Returns a function that computes the allocation of each claim on the node; undefined when they cannot all be satisfied. Throws
   * UnusableNodeError, or an Error when a claim or class is invalid on any node.
   */
  allocate(node: Node, claims: readonly ResourceClaim[]): (() => AllocationResult[]) | undefined {
    const { newShareID } = this.#options;
    const nodePools = this.#options.slices.poolsOf(node);
    const prepared = claims.map((claim) => this.#prepare(claim, node, nodePools));
    const search = this.#search(prepared, node, nodePools);
    if (!search.run()) {
      if (!nodePools.pools.some(({ state }) => state === 'invalid')) return undefined;
      throw new UnusableNodeError('invalid resource pools were encountered');
    }
    return () =>
      claims.map((claim, i) => {
        const chosen = search.chosen[i]!;
        const options = prepared[i]!.requests.map((each) => chosenOption(each, chosen));
        return allocationResult(claim, chosen, options, { nodeName: node.metadata.name ?? '', newShareID });
      });
  }

  #search(claims: readonly ClaimToAllocate[], node: Node, { pools, devices }: NodePools): DeviceSearch {
    const { allocated, onStep = () => {} } = this.#options;
    return new DeviceSearch(claims, {
      devices,
      allocated,
      counters: (key) => this.#countersOf(pools.find((pool) => pool.key === key)!),
      isSelectable: (option, entry) => this.#isSelectable(option, entry, node),
      onStep,
    });
  }

  /** Throws an Error when the claim cannot be satisfied on any node. */
  #prepare(claim: ResourceClaim, node: Node, nodePools: NodePools): ClaimToAllocate {
    const { requests, constraints } = claim.spec.devices ?? {};
    const key = `${claim.metadata.namespace}/${claim.metadata.name}`;
    const prepared = (requests ?? []).map((request) =>
      this.#optionsOf(request).map((option) => this.#prepareOption(key, option, node, nodePools)),
    );
    const fewest = prepared
      .map((options) => Math.min(...options.map(({ numDevices }) => numDevices)))
      .reduce((sum, count) => sum + count, 0);
    if (fewest > maxDevicesOfClaim) {
      throw new Error(
        `claim ${key}: number of requested devices ${fewest} exceeds the claim limit of ${maxDevicesOfClaim}`,
      );
    }
    return {
      key,
      requests: prepared,
      constraints: (constraints ?? []).map((each, i) => knownConstraint(key, i, newConstraint(each))),
    };
  }

  #prepareOption(claim: string, option: RequestOption, node: Node, { pools }: NodePools): PreparedOption {
    const { name, selectors, deviceClassName, allocationMode } = option;
    const about = `claim ${claim}, request ${name}`;
    selectors.forEach(({ cel }, i) => {
      if (!cel) throw new Error(`${about}, selector #${i}: CEL expression empty (unsupported selector type?)`);
    });
    if (!deviceClassName) throw new Error(`${about}: missing device class name (unsupported request type?)`);
    const deviceClass = this.#options.deviceClass(deviceClassName);
    if (!deviceClass) {
      const cause = `deviceclass.resource.k8s.io "${deviceClassName}" not found`;
      throw new Error(`${about}: could not retrieve device class ${deviceClassName}: ${cause}`);
    }
    const prepared = {
      ...option,
      claim,
      deviceClass,
      allDevices: undefined,
      selected: new Map<DeviceEntry, boolean>(),
    };
    if (allocationMode === 'ExactCount') return { ...prepared, numDevices: Number(option.count) };
    if (allocationMode !== 'All') throw new Error(`${about}: unsupported count mode ${allocationMode}`);
    const allDevices = pools.flatMap((pool) => this.#allOf(pool, { ...prepared, numDevices: 0 }, node, about));
    return { ...prepared, allDevices, numDevices: allDevices.length };
  }

  #allOf({ key, state, devices }: Pool, option: PreparedOption, node: Node, about: string): DeviceEntry[] {
    if (state !== 'usable') {
      const why = state === 'invalid' ? 'invalid' : 'being updated';
      throw new Error(`${about}: asks for all devices, but resource pool ${key} is currently ${why}`);
    }
    const { allocated } = this.#options;
    return devices.filter(
      (entry) =>
        this.#isSelectable(option, entry, node) && hasCapacity(entry, option.capacity, [allocated.consumed(entry.id)]),
    );
  }

  /** Cached, because it is asked again for every combination of devices. */
  #isSelectable(option: PreparedOption, entry: DeviceEntry, node: Node): boolean {
    const known = option.selected.get(entry);
    if (known !== undefined) return known;
    const { deviceClass, selectors, claim } = option;
    const isSelectable =
      this.#match(entry, deviceClass.spec.selectors, `class ${deviceClass.metadata.name}`) &&
      this.#match(entry, selectors, `claim ${claim}`) &&
      entry.isForNode(node);
    option.selected.set(entry, isSelectable);
    return isSelectable;
  }

  #match(entry: DeviceEntry, selectors: readonly DeviceSelector[] | null | undefined, whose: string): boolean {
    return (selectors ?? []).every(({ cel }, i) => {
      try {
        return this.#options.matches(cel?.expression ?? '', entry);
      } catch (cause) {
        if (!(cause instanceof SelectorError)) throw cause;
        throw new Error(`${whose}: selector #${i}: ${cause.message}`, { cause });
      }
    });
  }

  /** Cached for all nodes. */
  #optionsOf(request: DeviceRequest): readonly RequestOption[] {
    const known = this.#requests.get(request) ?? optionsOf(request);
    this.#requests.set(request, known);
    return known;
  }

  #countersOf(pool: Pool): AvailableCounters {
    const known = this.#counters.get(pool.key);
    if (known) return known;
    const counters = new AvailableCounters(pool, this.#options.allocated);
    this.#counters.set(pool.key, counters);
    return counters;
  }
}

function knownConstraint(claim: string, index: number, constraint: Constraint | undefined): Constraint {
  if (constraint) return constraint;
  throw new Error(`claim ${claim}, constraint #${index}: empty constraint (unsupported constraint type?)`);
}

/** An option without devices is not among the chosen ones; then it is the first option. */
const chosenOption = (options: readonly PreparedOption[], chosen: readonly { option: PreparedOption }[]) =>
  options.find((option) => chosen.some((each) => each.option === option)) ?? options[0]!;
