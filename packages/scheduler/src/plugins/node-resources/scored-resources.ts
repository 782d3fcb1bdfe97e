import type { NodeInfo } from '../../framework/node-info.ts';
import type { ResourceSpec } from './resource-spec.ts';

type Amount = (node: NodeInfo) => number;

/** One of the resources by which nodes are scored for one pod. */
export interface ScoredResource {
  readonly weight: number;
  /** What the pod asks for. */
  readonly request: number;
  readonly allocatable: Amount;
  /** What the pods on the node have. */
  readonly requested: Amount;
}

/** Which of a node's sums of CPU and memory count: with a little for containers that ask for none, or without. */
export type CountedSum = 'requested' | 'nonZeroRequested';

/** What the pod asks for of the resources; those left out of which it wants nothing, as only some nodes have them. */
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
    // Differs from upstream: devices of a DeviceClass that stand in for an extended resource are not counted.
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
