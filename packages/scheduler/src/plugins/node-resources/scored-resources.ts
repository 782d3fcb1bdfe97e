import type { NodeInfo } from '../../framework/node-info.ts';
import type { ResourceSpec } from './resource-spec.ts';

type Amount = (node: NodeInfo) => number;

/** A resource by which nodes are scored for one pod. */
export interface ScoredResource {
  readonly weight: number;
  /** The pod's request. */
  readonly request: number;
  readonly allocatable: Amount;
  /** The requests of the pods on the node. */
  readonly requested: Amount;
}

/** Which sum of CPU and memory requests is used: with or without default amounts for containers without requests. */
export type CountedSum = 'requested' | 'nonZeroRequested';

/**
 * Returns the pod's requests for the resources. Extended resources that it does not request are omitted, since only
 * some nodes have them.
 */
export function scoredResources(
  specs: readonly ResourceSpec[],
  requestOf: (name: string) => number,
  sum: CountedSum,
): readonly ScoredResource[] {
  return specs.flatMap(({ name, weight }) => {
    const request = requestOf(name);
    const core = coreAmounts[sum][name];
    if (core) return [{ weight, request, ...core }];
    if (request === 0) return [];
    // Differs from upstream: devices of a DeviceClass that provide an extended resource are not counted.
    return [
      {
        weight,
        request,
        allocatable: ({ allocatable }) => allocatable.scalar?.get(name) ?? 0,
        requested: ({ requested }) => requested.scalar?.get(name) ?? 0,
      },
    ];
  });
}

type CoreAmounts = Readonly<Record<string, Pick<ScoredResource, 'allocatable' | 'requested'>>>;

const allocatableCPU: Amount = ({ allocatable }) => allocatable.milliCPU;
const allocatableMemory: Amount = ({ allocatable }) => allocatable.memory;
const storage: CoreAmounts = {
  'ephemeral-storage': {
    allocatable: ({ allocatable }) => allocatable.ephemeralStorage,
    requested: ({ requested }) => requested.ephemeralStorage,
  },
};

const coreAmounts: Readonly<Record<CountedSum, CoreAmounts>> = {
  requested: {
    cpu: { allocatable: allocatableCPU, requested: ({ requested }) => requested.milliCPU },
    memory: { allocatable: allocatableMemory, requested: ({ requested }) => requested.memory },
    ...storage,
  },
  nonZeroRequested: {
    cpu: { allocatable: allocatableCPU, requested: ({ nonZeroRequested }) => nonZeroRequested.milliCPU },
    memory: { allocatable: allocatableMemory, requested: ({ nonZeroRequested }) => nonZeroRequested.memory },
    ...storage,
  },
};
