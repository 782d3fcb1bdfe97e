import { type ErrorList, invalid, isQualifiedName, type Path, Quantity } from '@coxswain/apimachinery';
import { invalidEach, printedAsJson } from '../checks.ts';

const hugePagesPrefix = 'hugepages-';
const requestsPrefix = 'requests.';
const containerResources = ['cpu', 'memory', 'ephemeral-storage'];
const countedResources = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);
const quotaResources = new Set([
  ...containerResources,
  ...containerResources.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'requests.storage',
  ...countedResources,
]);

/** Reports whether the name has no domain, or one of kubernetes.io. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

export const isHugePageResourceName = (name: string): boolean => name.startsWith(hugePagesPrefix);

/** Reports whether limits of the resource may exceed requests. */
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePageResourceName(name);

/** Reports whether the name is that of an extended resource of a device plugin or administrator, such as `example.com/gpu`. */
export const isExtendedResourceName = (name: string): boolean =>
  !isNativeResource(name) &&
  !name.startsWith(requestsPrefix) &&
  isQualifiedName(`${requestsPrefix}${name}`).length === 0;

/** Reports whether amounts of the resource must be integers. */
export const isIntegerResourceName = (name: string): boolean =>
  name.includes('/') ? isExtendedResourceName(name) : countedResources.has(name);

const isQuotaHugePageResourceName = (name: string): boolean =>
  isHugePageResourceName(name) || name.startsWith(requestsPrefix + hugePagesPrefix);

/** Reports whether a quota can limit the resource by this unqualified name. */
export const isStandardQuotaResourceName = (name: string): boolean =>
  quotaResources.has(name) || isQuotaHugePageResourceName(name);

/** Reports whether the resource is one of those with an unqualified name. */
const isStandardResourceName = (name: string): boolean => name === 'storage' || isStandardQuotaResourceName(name);

const isStandardContainerResourceName = (name: string): boolean =>
  containerResources.includes(name) || isHugePageResourceName(name);

/** Reports whether the resource can be set in a pod's `spec.resources`. */
export const isSupportedPodLevelResource = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || isHugePageResourceName(name);

/** Reports whether the amount is a multiple of the page size in the name. */
export function isHugePageValueDivisible(name: string, quantity: Quantity): boolean {
  let pageSize: Quantity;
  try {
    pageSize = Quantity.parse(name.slice(hugePagesPrefix.length));
  } catch {
    return false;
  }
  if (pageSize.sign() <= 0 || pageSize.scaledValue(-3) % 1000n !== 0n) return false;
  return quantity.scaledValue(0) % pageSize.scaledValue(0) === 0n;
}

/** Validates a resource name: it must be a qualified name or a known unqualified one. */
export function validateResourceName(name: string, path: Path, errors: ErrorList = []): ErrorList {
  if (quotaResources.has(name)) return errors;
  const messages = isQualifiedName(name);
  if (messages.length > 0) return invalidEach(path, printedAsJson(name), messages, errors);
  if (!name.includes('/') && !isStandardResourceName(name))
    errors.push(invalid(path, name, 'must be a standard resource type or fully qualified'));
  return errors;
}

/** Validates the name of a resource in a container's resource requirements. */
export function validateContainerResourceName(name: string, path: Path, errors: ErrorList = []): ErrorList {
  if (containerResources.includes(name)) return errors;
  validateResourceName(name, path, errors);
  if (!name.includes('/')) {
    if (!isStandardContainerResourceName(name))
      errors.push(invalid(path, name, 'must be a standard resource for containers'));
  } else if (!isNativeResource(name) && !isExtendedResourceName(name)) {
    errors.push(invalid(path, name, "doesn't follow extended resource name standard"));
  }
  return errors;
}
