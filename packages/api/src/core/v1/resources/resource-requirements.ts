import {
  checkField,
  duplicate,
  type ErrorList,
  FieldError,
  forbidden,
  invalid,
  isDns1123Label,
  isNegativeErrorMessage,
  notSupported,
  ownEntry,
  type Path,
  Quantity,
  required,
} from '@coxswain/apimachinery';
import type { ResourceClaim, ResourceRequirements } from '../../../generated/core/v1.ts';
import { sortedKeys } from '../checks.ts';
import { compareAmounts, isNegativeAmount, isWholeAmount } from './amount.ts';
import {
  isHugePageResourceName,
  isHugePageValueDivisible,
  isIntegerResourceName,
  isOvercommitAllowed,
  isSupportedPodLevelResource,
  validateContainerResourceName,
  validateResourceName,
} from './resource-name.ts';

/** Canonical quantities by resource name. */
export type ResourceList = { readonly [name: string]: string };

export function validateNonnegativeQuantity(quantity: Quantity, path: Path): ErrorList {
  return quantity.sign() < 0 ? [invalid(path, quantity.toString(), isNegativeErrorMessage)] : [];
}

export function validatePositiveQuantity(quantity: Quantity, path: Path): ErrorList {
  return quantity.sign() <= 0 ? [invalid(path, quantity.toString(), 'must be greater than zero')] : [];
}

/** Validates an amount: it must not be negative, and must be an integer for resources that are counted. */
export const validateResourceQuantityValue = (name: string, quantity: Quantity, path: Path): ErrorList =>
  validateAmount(name, quantity.toString(), path, []);

function validateAmount(name: string, amount: string, path: Path, errors: ErrorList): ErrorList {
  if (isNegativeAmount(amount)) errors.push(invalid(path, amount, isNegativeErrorMessage));
  if (isIntegerResourceName(name) && !isWholeAmount(amount)) errors.push(invalid(path, amount, 'must be an integer'));
  return errors;
}

export interface ResourceRequirementsOptions {
  readonly allowIndivisibleHugePagesValues?: boolean;
}

type NameCheck = (name: string, path: Path, errors: ErrorList) => unknown;

function validatePodResourceName(name: string, path: Path, errors: ErrorList): void {
  const before = errors.length;
  validateResourceName(name, path, errors);
  if (errors.length === before && !isSupportedPodLevelResource(name))
    errors.push(notSupported(path, name, ['cpu', 'hugepages-', 'memory']));
}

/** Validates a container's resource requirements. `podClaimNames` are the names in the pod's `resourceClaims`. */
export const validateContainerResourceRequirements = (
  requirements: ResourceRequirements,
  podClaimNames: ReadonlySet<string>,
  path: Path,
  options: ResourceRequirementsOptions = {},
  errors: ErrorList = [],
): ErrorList =>
  validateResourceRequirements(requirements, validateContainerResourceName, podClaimNames, path, options, errors);

/** Validates a pod's `spec.resources`. */
export const validatePodResourceRequirements = (
  requirements: ResourceRequirements,
  podClaimNames: ReadonlySet<string>,
  path: Path,
  options: ResourceRequirementsOptions,
  errors: ErrorList,
): ErrorList =>
  validateResourceRequirements(requirements, validatePodResourceName, podClaimNames, path, options, errors);

/** Validates limits, requests and claims. `validateName` is the rule for resource names. */
function validateResourceRequirements(
  { limits, requests, claims }: ResourceRequirements,
  validateName: NameCheck,
  podClaimNames: ReadonlySet<string>,
  path: Path,
  options: ResourceRequirementsOptions,
  errors: ErrorList,
): ErrorList {
  let hugePages = false;
  const validateHugePages = (name: string, amount: string, at: Path): void => {
    hugePages = true;
    if (options.allowIndivisibleHugePagesValues || isHugePageValueDivisible(name, Quantity.parse(amount))) return;
    errors.push(invalid(at, amount, `${amount} is not positive integer multiple of ${name}`));
  };
  const validateList = (list: ResourceList, listPath: Path, validateMore?: (name: string, amount: string) => void) => {
    for (const name of sortedKeys(list)) {
      const amount = list[name]!;
      const at = listPath.key(name);
      validateName(name, at, errors);
      validateAmount(name, amount, at, errors);
      validateMore?.(name, amount);
      if (isHugePageResourceName(name)) validateHugePages(name, amount, at);
    }
  };
  if (limits) validateList(limits, path.child('limits'));
  if (requests)
    validateList(requests, path.child('requests'), (name, amount) => {
      validateRequestBesideLimit(name, amount, ownEntry(limits, name), path, errors);
    });
  if (hugePages && !hasCpuOrMemory(limits) && !hasCpuOrMemory(requests))
    errors.push(forbidden(path, 'HugePages require cpu or memory'));
  if (claims) validateResourceClaimNames(claims, podClaimNames, path.child('claims'), errors);
  return errors;
}

/** Validates that a request is not above the limit, and equal to it for resources without overcommit. */
function validateRequestBesideLimit(
  name: string,
  request: string,
  limit: string | undefined,
  path: Path,
  errors: ErrorList,
): void {
  const overcommit = isOvercommitAllowed(name);
  if (limit === undefined) {
    if (!overcommit) errors.push(required(path.child('limits'), 'Limit must be set for non overcommitable resources'));
    return;
  }
  const difference = compareAmounts(request, limit);
  if (overcommit ? difference <= 0 : difference === 0) return;
  const comparison = overcommit ? 'less than or equal to' : 'equal to';
  errors.push(invalid(path.child('requests'), request, `must be ${comparison} ${name} limit of ${limit}`));
}

const hasCpuOrMemory = (list: ResourceList | undefined): boolean =>
  list !== undefined && (Object.hasOwn(list, 'cpu') || Object.hasOwn(list, 'memory'));

function unknownClaimDetail(podClaimNames: ReadonlySet<string>): string {
  const known = podClaimNames.size === 0 ? ' which is empty' : `: ${[...podClaimNames].sort().join(', ')}`;
  return `must be one of the names in pod.spec.resourceClaims${known}`;
}

function validateResourceClaimNames(
  claims: readonly ResourceClaim[],
  podClaimNames: ReadonlySet<string>,
  path: Path,
  errors: ErrorList,
): void {
  const seen = new Set<string>();
  /** The number of requests seen, by claim. */
  const requests = new Map<string, number>();
  // The error detail for unknown claims. It lists all claims of the pod, so it is built only once.
  let unknownClaim: string | undefined;
  claims.forEach(({ name, request }, i) => {
    const at = path.index(i);
    if (!name) {
      errors.push(required(at));
      return;
    }
    // A whole claim and one of its requests overlap; two of its requests do not.
    if (seen.has(name)) errors.push(duplicate(at, name));
    else {
      const key = request ? `${name}/${request}` : name;
      if (request) checkField(at, 'request', request, isDns1123Label, errors);
      if (seen.has(key)) errors.push(duplicate(at, key));
      else if (request) requests.set(name, (requests.get(name) ?? 0) + 1);
      else for (let n = requests.get(name) ?? 0; n > 0; n--) errors.push(duplicate(at, name));
      seen.add(key);
    }
    if (!podClaimNames.has(name)) {
      unknownClaim ??= unknownClaimDetail(podClaimNames);
      errors.push(new FieldError('FieldValueNotFound', at, name, unknownClaim));
    }
  });
}
