import { isExtendedResourceName } from '@coxswain/api';
import type { Container, ContainerExtendedResourceRequest, Pod } from '@coxswain/api/core/v1';
import type { DeviceRequest, ResourceClaim } from '@coxswain/api/resource/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { deviceClassPrefix } from './device-classes.ts';

/** Marks the claim that is created for the extended resources of a pod. */
export const extendedResourceAnnotation = 'resource.kubernetes.io/extended-resource-claim';

/** The name of a claim that exists only in this process. It is not a valid name for the server. */
const unwrittenName = '<extended-resources>';

export const isUnwritten = ({ metadata }: ResourceClaim): boolean => metadata.name === unwrittenName;

/** Whether the resource may be provided by devices of a class. */
export const mayBeDevice = (resource: string): boolean =>
  isExtendedResourceName(resource) || resource.startsWith(deviceClassPrefix);

/**
 * Creates an in-memory claim for the pod's extended resources. Its requests are filled in per node. Until it is written, its UID is that of
 * the pod.
 */
export function newExtendedClaim({ metadata }: Pod): ResourceClaim {
  const { name = '', namespace = '', uid = '' } = metadata;
  return {
    metadata: {
      name: unwrittenName,
      namespace,
      uid,
      generateName: `${name}-extended-resources-`,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
      annotations: { [extendedResourceAnnotation]: 'true' },
    },
    spec: {},
  };
}

/** Device requests for extended resources, and the mapping of containers to them. */
export interface ExtendedRequests {
  readonly requests: readonly DeviceRequest[];
  readonly mappings: readonly ContainerExtendedResourceRequest[];
}

/**
 * Creates a request for each container and resource. Init containers that terminate before later containers start can reuse the devices of
 * those. What they need beyond these is used one after the other, so they share the largest of these requests.
 */
export function extendedRequests(
  pod: Pod,
  resources: readonly string[],
  classOf: (resource: string) => string | undefined,
): ExtendedRequests {
  const initContainers = pod.spec?.initContainers ?? [];
  const containers = pod.spec?.containers ?? [];
  const all = [...initContainers, ...containers].map((container, index) => ({
    container,
    index,
    isShortLived: index < initContainers.length && container.restartPolicy !== 'Always',
  }));
  const requests: DeviceRequest[] = [];
  const mappings: ContainerExtendedResourceRequest[] = [];
  for (const resource of resources.toSorted()) {
    const deviceClassName = classOf(resource);
    if (deviceClassName === undefined) continue;
    const asked = all.map((each) => ({ ...each, count: countOf(each.container, resource) }));
    const lasting = asked
      .filter(({ isShortLived, count }) => !isShortLived && count > 0)
      .map((each) => ({ ...each, requestName: requestName(each, resource) }));
    const passing = asked
      .filter(({ isShortLived, count }) => isShortLived && count > 0)
      .map((each) => ({ ...each, ...reusable(each, lasting) }));
    const greatest = passing.reduce<(typeof passing)[number] | undefined>(
      (most, each) => (each.missing > (most?.missing ?? 0) ? each : most),
      undefined,
    );
    const request = (name: string, count: number): DeviceRequest => ({
      name,
      exactly: { deviceClassName, allocationMode: 'ExactCount', count },
    });
    if (greatest) requests.push(request(requestName(greatest, resource), greatest.missing));
    for (const { requestName: name, count } of lasting) requests.push(request(name, count));
    const use = ({ name }: Container, of: string): void => {
      mappings.push({ containerName: name, resourceName: resource, requestName: of });
    };
    for (const { container, requestName: name } of lasting) use(container, name);
    for (const { container, reused, missing } of passing) {
      for (const name of reused) use(container, name);
      if (missing > 0 && greatest) use(container, requestName(greatest, resource));
    }
  }
  return { requests: requests.sort((a, b) => (a.name < b.name ? -1 : 1)), mappings };
}

interface Asked {
  readonly container: Container;
  readonly index: number;
  readonly count: number;
}

/** Returns the requests of later containers that a container can reuse, and how many more devices it needs. */
function reusable({ index, count }: Asked, lasting: readonly (Asked & { readonly requestName: string })[]) {
  const reused: string[] = [];
  let missing = count;
  for (const later of lasting) {
    if (later.index < index) continue;
    reused.push(later.requestName);
    missing -= later.count;
    if (missing <= 0) break;
  }
  return { reused, missing: Math.max(missing, 0) };
}

function countOf({ resources }: Container, resource: string): number {
  const requested = resources?.requests?.[resource];
  return requested === undefined ? 0 : Number(Quantity.parse(requested).asInt64() ?? 0n);
}

/** Made of the index of the container and the index of the resource among its requests. */
function requestName({ container, index }: Pick<Asked, 'container' | 'index'>, resource: string): string {
  const at = Object.keys(container.resources?.requests ?? {})
    .toSorted()
    .indexOf(resource);
  return `container-${index}-request-${at}`;
}
