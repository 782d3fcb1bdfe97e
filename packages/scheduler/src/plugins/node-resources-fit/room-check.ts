import { isExtendedResourceName } from '@coxswain/api';
import type { NodeInfo } from '../../framework/node-info.ts';
import type { Resources } from '../../framework/resources.ts';
import { Status } from '../../framework/status.ts';
import type { NodeResourcesFitArgs } from './fit-args.ts';

/** A request for an extended resource or huge pages. */
interface ScalarRequest {
  readonly name: string;
  readonly amount: number;
  /** Whether a DeviceClass provides it on nodes that do not have it themselves. */
  readonly hasDeviceClass: boolean;
}

/** The resources that a pod wants, computed once for all nodes. */
export interface WantedResources {
  readonly requests: Resources;
  readonly scalars: readonly ScalarRequest[];
}

type Ignored = Pick<NodeResourcesFitArgs, 'ignoredResources' | 'ignoredResourceGroups'>;

/** Returns the wanted resources without ignored ones. */
export function wantedResources(
  requests: Resources,
  { ignoredResources, ignoredResourceGroups }: Ignored,
  hasDeviceClass: (resource: string) => boolean,
): WantedResources {
  const scalars: ScalarRequest[] = [];
  for (const [name, amount] of requests.scalar ?? []) {
    const isIgnored = ignoredResources.includes(name) || ignoredResourceGroups.includes(name.split('/', 1)[0]!);
    if (amount === 0 || (isIgnored && isExtendedResourceName(name))) continue;
    scalars.push({ name, amount, hasDeviceClass: hasDeviceClass(name) });
  }
  return { requests, scalars };
}

/** Equal for pods that want the same resources. */
export const signatureOf = ({ requests: { milliCPU, memory, ephemeralStorage }, scalars }: WantedResources): string =>
  JSON.stringify([milliCPU, memory, ephemeralStorage, scalars]);

/** Bits for the resources that a node lacks. */
const tooManyPods = 1;
const cpu = 2;
const memory = 4;
const ephemeralStorage = 8;
/** More is wanted than the node's capacity, so preemption does not help. */
const unresolvable = 16;

const reasons: readonly (readonly [bit: number, reason: string])[] = [
  [tooManyPods, 'Too many pods'],
  [cpu, 'Insufficient cpu'],
  [memory, 'Insufficient memory'],
  [ephemeralStorage, 'Insufficient ephemeral-storage'],
];

/** Checks whether nodes have enough free resources for a pod. */
export class RoomCheck {
  /**
   * By bits. Nodes that lack the same resources share a status: in a full cluster that is thousands of nodes for each
   * pod.
   */
  readonly #statuses = new Map<number, Status>();

  check({ requests, scalars }: WantedResources, { allocatable, requested, pods }: NodeInfo): Status | undefined {
    let lacking = pods.length + 1 > allocatable.allowedPodNumber ? tooManyPods : 0;
    lacking |= shortOf(cpu, requests.milliCPU, allocatable.milliCPU, requested.milliCPU);
    lacking |= shortOf(memory, requests.memory, allocatable.memory, requested.memory);
    lacking |= shortOf(
      ephemeralStorage,
      requests.ephemeralStorage,
      allocatable.ephemeralStorage,
      requested.ephemeralStorage,
    );
    let scalarReasons: string[] | undefined;
    for (const { name, amount, hasDeviceClass } of scalars) {
      const capacity = allocatable.scalar?.get(name) ?? 0;
      if (hasDeviceClass && capacity <= 0) continue;
      if (amount <= capacity - (requested.scalar?.get(name) ?? 0)) continue;
      scalarReasons ??= [];
      scalarReasons.push(`Insufficient ${name}`);
      if (amount > capacity) lacking |= unresolvable;
    }
    if (scalarReasons) return statusOf(lacking, scalarReasons);
    return lacking === 0 ? undefined : this.#status(lacking);
  }

  #status(lacking: number): Status {
    let status = this.#statuses.get(lacking);
    if (!status) {
      status = statusOf(lacking, []);
      this.#statuses.set(lacking, status);
    }
    return status;
  }
}

function shortOf(bit: number, wanted: number, capacity: number, used: number): number {
  if (wanted <= 0 || wanted <= capacity - used) return 0;
  return wanted > capacity ? bit | unresolvable : bit;
}

function statusOf(lacking: number, scalarReasons: readonly string[]): Status {
  const own = reasons.flatMap(([bit, reason]) => (lacking & bit ? [reason] : []));
  return new Status(lacking & unresolvable ? 'UnschedulableAndUnresolvable' : 'Unschedulable', [
    ...own,
    ...scalarReasons,
  ]);
}
