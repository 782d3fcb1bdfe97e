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

/** Names without a domain, and names of a domain of kubernetes.io. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

export const isHugePageResourceName = (name: string): boolean => name.startsWith(hugePagesPrefix);

/** Whether more of it may be promised in limits than is requested. */
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePageResourceName(name);

/** A resource that a device plug-in or an administrator named, such as `example.com/gpu`. */
export const isExtendedResourceName = (name: string): boolean =>
  !isNativeResource(name) &&
  !name.startsWith(requestsPrefix) &&
  isQualifiedName(`${requestsPrefix}${name}`).length === 0;

/** Resources that come in whole numbers. */
export const isIntegerResourceName = (name: string): boolean =>
  name.includes('/') ? isExtendedResourceName(name) : countedResources.has(name);

const isQuotaHugePageResourceName = (name: string): boolean =>
  isHugePageResourceName(name) || name.startsWith(requestsPrefix + hugePagesPrefix);

/** Resources that a quota may limit by an unqualified name. */
export const isStandardQuotaResourceName = (name: string): boolean =>
  quotaResources.has(name) || isQuotaHugePageResourceName(name);

/** Every resource that has an unqualified name. */
const isStandardResourceName = (name: string): boolean => name === 'storage' || isStandardQuotaResourceName(name);

const isStandardContainerResourceName = (name: string): boolean =>
  containerResources.includes(name) || isHugePageResourceName(name);

/** Resources that a pod as a whole may ask for. */
export const isSupportedPodLevelResource = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || isHugePageResourceName(name);

/** Whether the amount is a whole number of pages of the size that the name tells. */
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

/** A resource's name: a qualified name, or one of the unqualified ones that are known. */
export function validateResourceName(name: string, path: Path, errors: ErrorList = []): ErrorList {
  if (quotaResources.has(name)) return errors;
  const messages = isQualifiedName(name);
  if (messages.length > 0) return invalidEach(path, printedAsJson(name), messages, errors);
  if (!name.includes('/') && !isStandardResourceName(name))
    errors.push(invalid(path, name, 'must be a standard resource type or fully qualified'));
  return errors;
}

/** A resource that a container may ask for. */
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
