import type { Container, ContainerStatus, Pod } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { podCondition } from '@coxswain/component-helpers';
import { remembered } from './remembered.ts';
import { Resources } from './resources.ts';

/** The resources that a pod uses on a node. */
export interface PodResources {
  readonly requests: Resources;
  /**
   * Like `requests`, but a container without a request for CPU or memory counts with a default amount, so that such pods spread over nodes.
   */
  readonly nonZeroCPU: number;
  readonly nonZeroMemory: number;
}

/** The default amounts for containers without requests. */
const assumedMilliCPU = 100;
const assumedMemory = 200 * 1024 * 1024;

/**
 * Computes the resources that the pod uses: its pod-level requests or else the requests of its containers, plus its overhead. While it is
 * being resized in place, the maximum of requested, allocated and actual resources counts.
 */
export function podResources(pod: Pod): PodResources {
  return pod.spec && areContainersAll(pod) ? ofContainers(pod.spec.containers) : counted(pod);
}

/**
 * Cached by the list of containers: pods of one workload share it, because informers reuse equal parts, and for most pods nothing else
 * matters.
 */
const ofContainers = remembered((containers: readonly Container[]) =>
  counted({ metadata: {}, spec: { containers: [...containers] } }),
);

function areContainersAll({ spec, status }: Pod): boolean {
  return (
    !spec?.initContainers?.length &&
    !spec?.overhead &&
    !spec?.resources &&
    !status?.containerStatuses?.some(hasResources) &&
    !status?.initContainerStatuses?.some(hasResources)
  );
}

const hasResources = ({ resources }: ContainerStatus): boolean => resources !== undefined;

function counted(pod: Pod): PodResources {
  const lists = containerLists(pod, effectiveRequests(pod));
  const whole = podLevelRequests(pod);
  const requests = total(lists, whole, pod);
  const nonZero = total(withAssumed(lists, whole ? (name) => !requests.has(name) : () => true), whole, pod);
  return {
    requests: Resources.of(requests),
    nonZeroCPU: nonZero.get('cpu')?.milliValue() ?? 0,
    nonZeroMemory: nonZero.get('memory')?.value() ?? 0,
  };
}

/**
 * Computes the requests of all containers, with default amounts for missing CPU and memory requests, plus overhead. Pod-level requests and
 * the pod's status are not considered.
 */
export function assumedContainerRequests(pod: Pod): Resources {
  const lists = containerLists(pod, ({ resources }) => parsed(resources?.requests));
  const all = withAssumed(lists, () => true);
  return Resources.of(total(all, undefined, pod));
}

type Amounts = ReadonlyMap<string, Quantity>;
type ResourceList = Readonly<Record<string, string>>;

interface ContainerLists {
  readonly containers: readonly Amounts[];
  readonly initContainers: readonly { readonly isSidecar: boolean; readonly list: Amounts }[];
}

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';

function containerLists({ spec }: Pod, listOf: (container: Container, runsOn: boolean) => Amounts): ContainerLists {
  return {
    containers: spec?.containers.map((container) => listOf(container, true)) ?? [],
    initContainers:
      spec?.initContainers?.map((container) => ({
        isSidecar: isSidecar(container),
        list: listOf(container, isSidecar(container)),
      })) ?? [],
  };
}

/** Returns a function that computes the requests of a container. For containers that keep running, the status is considered as well. */
function effectiveRequests(pod: Pod): (container: Container, runsOn: boolean) => Amounts {
  const containerStatuses = pod.status?.containerStatuses ?? [];
  const initContainerStatuses = pod.status?.initContainerStatuses ?? [];
  const statuses = [...containerStatuses, ...initContainerStatuses];
  return ({ name, resources }, runsOn) => {
    const wanted = parsed(resources?.requests);
    const status =
      runsOn && statuses.length > 0 ? statuses.findLast((candidate) => candidate.name === name) : undefined;
    if (!status?.resources) return wanted;
    return inForce(pod, wanted, status.resources.requests, status.allocatedResources);
  };
}

/** The pod-level requests. Only some resources can be requested at pod level. */
function podLevelRequests(pod: Pod): Amounts | undefined {
  const requests = pod.spec?.resources?.requests;
  if (!requests) return undefined;
  const wanted = new Map([...parsed(requests)].filter(([name]) => isPodLevelResource(name)));
  if (wanted.size === 0) return undefined;
  const { resources, allocatedResources } = pod.status ?? {};
  if (!resources) return wanted;
  const effective = inForce(pod, parsed(requests), resources.requests, allocatedResources);
  return new Map([...wanted.keys()].map((name) => [name, effective.get(name) ?? Quantity.of(0)]));
}

const isPodLevelResource = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

/**
 * The maximum of requested, allocated and actual resources. The requested ones do not count when the node reports the resize as infeasible.
 */
function inForce(
  pod: Pod,
  wanted: Amounts,
  actual: ResourceList | undefined,
  allocated: ResourceList | undefined,
): Amounts {
  const isInfeasible = podCondition(pod, 'PodResizePending')?.reason === 'Infeasible';
  const most = new Map(isInfeasible ? [] : wanted);
  raise(most, parsed(actual));
  raise(most, parsed(allocated));
  return most;
}

/** Adds default amounts of CPU and memory to the lists without requests for them. */
function withAssumed(
  { containers, initContainers }: ContainerLists,
  isAssumed: (name: 'cpu' | 'memory') => boolean,
): ContainerLists {
  const cpu = isAssumed('cpu') ? Quantity.ofMilli(assumedMilliCPU) : undefined;
  const memory = isAssumed('memory') ? Quantity.of(assumedMemory) : undefined;
  if (!cpu && !memory) return { containers, initContainers };
  const fill = (list: Amounts): Amounts => {
    const lacksCPU = cpu && !list.has('cpu');
    const lacksMemory = memory && !list.has('memory');
    if (!lacksCPU && !lacksMemory) return list;
    const filled = new Map(list);
    if (lacksCPU) filled.set('cpu', cpu);
    if (lacksMemory) filled.set('memory', memory);
    return filled;
  };
  return {
    containers: containers.map(fill),
    initContainers: initContainers.map(({ isSidecar, list }) => ({ isSidecar, list: fill(list) })),
  };
}

/**
 * Computes the total. Containers that run at the same time are added up. The pod also needs the maximum over all init containers of their
 * request plus the sidecars started before. Pod-level requests replace this result. Overhead is added.
 */
function total({ containers, initContainers }: ContainerLists, whole: Amounts | undefined, { spec }: Pod): Amounts {
  const sum = new Map<string, Quantity>();
  for (const list of containers) add(sum, list);
  const sidecars = new Map<string, Quantity>();
  const initMost = new Map<string, Quantity>();
  for (const { isSidecar, list } of initContainers) {
    if (isSidecar) {
      add(sum, list);
      raise(initMost, add(sidecars, list));
    } else raise(initMost, add(new Map(list), sidecars));
  }
  raise(sum, initMost);
  if (whole) for (const [name, amount] of whole) sum.set(name, amount);
  return spec?.overhead ? add(sum, parsed(spec.overhead)) : sum;
}

function add(amounts: Map<string, Quantity>, list: Amounts): Map<string, Quantity> {
  for (const [name, amount] of list) {
    const known = amounts.get(name);
    amounts.set(name, known ? known.add(amount) : amount);
  }
  return amounts;
}

function raise(amounts: Map<string, Quantity>, least: Amounts): void {
  for (const [name, amount] of least) {
    const known = amounts.get(name);
    if (!known || amount.cmp(known) > 0) amounts.set(name, amount);
  }
}

const parsed = (list: ResourceList | undefined): Amounts =>
  new Map(Object.entries(list ?? {}).map(([name, text]) => [name, Quantity.parse(text)]));
