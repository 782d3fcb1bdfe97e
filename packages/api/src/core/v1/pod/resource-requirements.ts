import {
  duplicate,
  type ErrorList,
  FieldError,
  forbidden,
  invalid,
  isDns1123Label,
  isNegativeErrorMessage,
  notSupported,
  type Path,
  Quantity,
  required,
} from '@coxswain/apimachinery';
import type { ResourceClaim, ResourceRequirements } from '../../../generated/core/v1.ts';
import { invalidEach, sortedEntries } from './checks.ts';
import {
  isHugePageResourceName,
  isHugePageValueDivisible,
  isIntegerResourceName,
  isOvercommitAllowed,
  isSupportedPodLevelResource,
  validateContainerResourceName,
  validateResourceName,
} from './resource-name.ts';

/** A list of amounts by resource, as JSON has it. */
export type ResourceList = { readonly [name: string]: string };

export function validateNonnegativeQuantity(quantity: Quantity, path: Path): ErrorList {
  return quantity.sign() < 0 ? [invalid(path, quantity.toString(), isNegativeErrorMessage)] : [];
}

export function validatePositiveQuantity(quantity: Quantity, path: Path): ErrorList {
  return quantity.sign() <= 0 ? [invalid(path, quantity.toString(), 'must be greater than zero')] : [];
}

/** An amount of the resource: not negative, and whole if the resource is counted. */
export function validateResourceQuantityValue(name: string, quantity: Quantity, path: Path): ErrorList {
  const errors = validateNonnegativeQuantity(quantity, path);
  if (isIntegerResourceName(name) && quantity.scaledValue(-3) % 1000n !== 0n)
    errors.push(invalid(path, quantity.toString(), 'must be an integer'));
  return errors;
}

export interface ResourceRequirementsOptions {
  readonly allowIndivisibleHugePagesValues?: boolean;
}

type NameCheck = (name: string, path: Path) => ErrorList;

function validatePodResourceName(name: string, path: Path): ErrorList {
  const errors = validateResourceName(name, path);
  if (errors.length === 0 && !isSupportedPodLevelResource(name))
    errors.push(notSupported(path, name, ['cpu', 'hugepages-', 'memory']));
  return errors;
}

/** What a container asks for; `podClaimNames` are the names in the pod's `resourceClaims`. */
export const validateContainerResourceRequirements = (
  requirements: ResourceRequirements,
  podClaimNames: readonly string[],
  path: Path,
  options: ResourceRequirementsOptions = {},
): ErrorList => validateResourceRequirements(requirements, validateContainerResourceName, podClaimNames, path, options);

/** What a pod asks for as a whole. */
export const validatePodResourceRequirements = (
  requirements: ResourceRequirements,
  podClaimNames: readonly string[],
  path: Path,
  options: ResourceRequirementsOptions = {},
): ErrorList => validateResourceRequirements(requirements, validatePodResourceName, podClaimNames, path, options);

/** Limits, requests and claims, with the rule that `validateName` sets for names. */
export function validateResourceRequirements(
  { limits, requests, claims }: ResourceRequirements,
  validateName: NameCheck,
  podClaimNames: readonly string[],
  path: Path,
  { allowIndivisibleHugePagesValues }: ResourceRequirementsOptions = {},
): ErrorList {
  const errors: ErrorList = [];
  if (!limits && !requests && !claims) return errors;
  const checkHugePages = (name: string, quantity: Quantity, at: Path) => {
    if (!allowIndivisibleHugePagesValues && isHugePageResourceName(name) && !isHugePageValueDivisible(name, quantity)) {
      const text = quantity.toString();
      errors.push(invalid(at, text, `${text} is not positive integer multiple of ${name}`));
    }
  };
  const limitQuantities = new Map<string, Quantity>();
  const limitsPath = path.child('limits');
  for (const [name, text] of sortedEntries(limits)) {
    const at = limitsPath.key(name);
    const quantity = Quantity.parse(text);
    limitQuantities.set(name, quantity);
    errors.push(...validateName(name, at), ...validateResourceQuantityValue(name, quantity, at));
    checkHugePages(name, quantity, at);
  }
  const requestsPath = path.child('requests');
  for (const [name, text] of sortedEntries(requests)) {
    const at = requestsPath.key(name);
    const quantity = Quantity.parse(text);
    errors.push(...validateName(name, at), ...validateResourceQuantityValue(name, quantity, at));
    const limit = limitQuantities.get(name);
    if (limit) {
      const comparison = isOvercommitAllowed(name) ? 'less than or equal to' : 'equal to';
      const difference = quantity.cmp(limit);
      if (isOvercommitAllowed(name) ? difference > 0 : difference !== 0)
        errors.push(invalid(requestsPath, quantity.toString(), `must be ${comparison} ${name} limit of ${limit}`));
    } else if (!isOvercommitAllowed(name)) {
      errors.push(required(limitsPath, 'Limit must be set for non overcommitable resources'));
    }
    checkHugePages(name, quantity, at);
  }
  const names = [...Object.keys(limits ?? {}), ...Object.keys(requests ?? {})];
  if (names.some(isHugePageResourceName) && !names.includes('cpu') && !names.includes('memory'))
    errors.push(forbidden(path, 'HugePages require cpu or memory'));
  errors.push(...validateResourceClaimNames(claims ?? [], podClaimNames, path.child('claims')));
  return errors;
}

function validateResourceClaimNames(
  claims: readonly ResourceClaim[],
  podClaimNames: readonly string[],
  path: Path,
): ErrorList {
  const errors: ErrorList = [];
  const seen = new Set<string>();
  claims.forEach(({ name, request }, i) => {
    const at = path.index(i);
    if (!name) {
      errors.push(required(at));
      return;
    }
    // A claim as a whole and one of its requests overlap; two requests of it do not.
    if (seen.has(name)) errors.push(duplicate(at, name));
    else {
      const key = request ? `${name}/${request}` : name;
      if (request) errors.push(...invalidEach(at.child('request'), request, isDns1123Label(request)));
      if (seen.has(key)) errors.push(duplicate(at, key));
      else if (!request) for (const other of seen) if (other.startsWith(`${name}/`)) errors.push(duplicate(at, name));
      seen.add(key);
    }
    if (!podClaimNames.includes(name)) {
      const known = podClaimNames.length === 0 ? ' which is empty' : `: ${[...podClaimNames].sort().join(', ')}`;
      const detail = `must be one of the names in pod.spec.resourceClaims${known}`;
      errors.push(new FieldError('FieldValueNotFound', at, name, detail));
    }
  });
  return errors;
}
