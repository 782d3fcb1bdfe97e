import {
  duplicate,
  type ErrorList,
  FieldError,
  forbidden,
  invalid,
  isDns1123Label,
  isIPv4,
  isQualifiedName,
  isValidIPForLegacyField,
  nameIsDnsSubdomain,
  Path,
  parseIPSloppy,
  Quantity,
  required,
  validateImmutableField,
} from '@coxswain/apimachinery';
import type { Pod, PodCondition, PodSpec, PodStatus } from '../../../generated/core/v1.ts';
import { invalidEach, printedAsJson, sortedEntries } from './checks.ts';
import { validateContainerStatuses, validateStateTransitions } from './container-status.ts';
import { containersOf, emptyPodSpec } from './containers.ts';
import { internalForm } from './internal-form.ts';
import { validatePodAnnotationsUpdate } from './pod-annotations.ts';
import { isNativeResource } from './resource-name.ts';
import type { PodValidationOptions } from './validation-options.ts';

const path = Path.of('status');
const annotationsPath = Path.of('metadata', 'annotations');

/** What the kubelet, or another that writes the status, may say of a pod. */
export function validatePodStatusUpdate(pod: Pod, old: Pod, options: PodValidationOptions): ErrorList {
  const status = pod.status ?? {};
  const oldStatus = old.status ?? {};
  const spec = pod.spec ?? emptyPodSpec;
  return [
    ...validatePodAnnotationsUpdate(pod.metadata.annotations, old.metadata.annotations, spec, annotationsPath, options),
    ...validateConditions(status.conditions ?? [], path.child('conditions')),
    ...validateNominatedNode(status, old, options),
    ...nonNegative(status.observedGeneration, path.child('observedGeneration')),
    ...validateImmutableField(status.qosClass ?? '', oldStatus.qosClass ?? '', path.child('qosClass')),
    ...validateStateTransitions(status, old, path, options),
    ...validateResourceClaimStatuses(status, spec),
    ...validateExtendedResourceClaimStatus(status, spec),
    ...validateNodeAllocatableClaims(status, spec),
    ...validateIPs('podIPs', status, oldStatus, options),
    ...validateHostIPs(status, oldStatus, options),
    ...validateContainerStatuses(status, spec, path, options),
  ];
}

const nonNegative = (value: number | undefined, at: Path): ErrorList =>
  value !== undefined && value < 0 ? [invalid(at, value, 'must be a non-negative integer')] : [];

const systemConditions = ['PodScheduled', 'Ready', 'Initialized'];

function validateConditions(conditions: readonly PodCondition[], at: Path): ErrorList {
  return conditions.flatMap(({ type, observedGeneration }, i) => [
    ...nonNegative(observedGeneration, at.index(i).child('observedGeneration')),
    ...(systemConditions.includes(type) ? [] : invalidEach(at.index(i).child('Type'), type, isQualifiedName(type))),
  ]);
}

function validateNominatedNode(status: PodStatus, old: Pod, { features }: PodValidationOptions): ErrorList {
  const { nominatedNodeName: name } = status;
  if (!name || name === old.status?.nominatedNodeName) return [];
  const at = path.child('nominatedNodeName');
  const errors = invalidEach(at, name, nameIsDnsSubdomain(name, false));
  if (old.spec?.nodeName && features.enabled('ClearingNominatedNodeNameAfterBinding'))
    errors.push(forbidden(at, 'may not be set on pods that are already bound to a node'));
  return errors;
}

function validateResourceClaimStatuses({ resourceClaimStatuses = [] }: PodStatus, spec: PodSpec): ErrorList {
  const names = new Set<string>();
  return resourceClaimStatuses.flatMap(({ name, resourceClaimName }, i) => {
    const at = path.child('resourceClaimStatuses').index(i);
    const errors: ErrorList = [];
    if (!spec.resourceClaims?.some((claim) => claim.name === name))
      errors.push(invalid(at.child('name'), name, 'must match the name of an entry in `spec.resourceClaims`'));
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    if (resourceClaimName !== undefined) {
      const messages = nameIsDnsSubdomain(resourceClaimName, false);
      errors.push(...invalidEach(at.child('resourceClaimName'), printedAsJson(resourceClaimName), messages));
    }
    return errors;
  });
}

function validateExtendedResourceClaimStatus({ extendedResourceClaimStatus }: PodStatus, spec: PodSpec): ErrorList {
  if (!extendedResourceClaimStatus) return [];
  const { resourceClaimName } = extendedResourceClaimStatus;
  const requestMappings = extendedResourceClaimStatus.requestMappings ?? [];
  const at = path.child('extendedResourceClaimStatus');
  const mappingsPath = at.child('requestMappings');
  const errors: ErrorList = [];
  if (requestMappings.length === 0) errors.push(required(mappingsPath, 'at least one request mapping is required'));
  const containers = [...(spec.initContainers ?? []), ...containersOf(spec)];
  const seen = new Set<string>();
  requestMappings.forEach((mapping, i) => {
    const { containerName, resourceName, requestName } = mapping;
    const mappingPath = mappingsPath.index(i);
    const container = containers.findLast(({ name }) => name === containerName);
    if (!container) {
      const detail = 'must match the name of an entry in spec.initContainers.name or spec.containers.name';
      errors.push(invalid(mappingPath.child('containerName'), containerName, detail));
    } else if (!Object.hasOwn(container.resources?.requests ?? {}, resourceName)) {
      const detail =
        'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests';
      errors.push(invalid(mappingPath.child('resourceName'), resourceName, detail));
    }
    errors.push(...invalidEach(at.child('requestName'), requestName, isDns1123Label(requestName)));
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key))
      for (const field of ['containerName', 'resourceName', 'requestName'] as const)
        errors.push(duplicate(mappingPath.child(field), mapping[field]));
    seen.add(key);
  });
  const namePath = at.child('resourceClaimName');
  errors.push(
    ...(resourceClaimName
      ? invalidEach(namePath, resourceClaimName, nameIsDnsSubdomain(resourceClaimName, false))
      : [required(namePath)]),
  );
  return errors;
}

function validateNodeAllocatableClaims(status: PodStatus, spec: PodSpec): ErrorList {
  const claims = [...(spec.resourceClaims ?? []), ...(status.resourceClaimStatuses ?? [])];
  return (status.nodeAllocatableResourceClaimStatuses ?? []).flatMap((claim, i) => {
    const at = path.child('nodeAllocatableResourceClaimStatuses').index(i);
    const namePath = at.child('resourceClaimName');
    const { resourceClaimName: name, containers = [], resources } = claim;
    const errors: ErrorList = [];
    if (!name) errors.push(required(namePath, 'must not be empty'));
    if (!claims.some(({ resourceClaimName }) => resourceClaimName === name))
      errors.push(invalid(namePath, name, 'no mapping found in pod reference'));
    if (containers.length === 0) errors.push(required(at.child('containers'), 'must not be empty'));
    const entries = sortedEntries(resources);
    if (entries.length === 0) errors.push(required(at.child('resources'), 'must not be empty'));
    for (const [resource, amount] of entries) {
      const key = at.child('resources').key(resource);
      if (!isNativeResource(resource)) errors.push(invalid(key, resource, 'must be a node allocatable resource name'));
      if (Quantity.parse(amount).sign() < 0) errors.push(invalid(key, amount, 'must be non-negative'));
    }
    return errors;
  });
}

/** Addresses that were there before may stay, however they are written. */
function validateIPs(
  field: 'podIPs' | 'hostIPs',
  status: PodStatus,
  old: PodStatus,
  { features }: PodValidationOptions,
): ErrorList {
  const at = path.child(field);
  const addresses = (status[field] ?? []).map(({ ip }) => ip);
  const existing = (old[field] ?? []).map(({ ip }) => ip);
  const strict = features.enabled('StrictIPCIDRValidation');
  const errors = addresses.flatMap((ip, i) => isValidIPForLegacyField(at.index(i), ip, strict, existing));
  if (addresses.length < 2) return errors;
  const parsed = addresses.map(parseIPSloppy);
  const broken = parsed.findIndex((ip) => !ip);
  if (broken >= 0) {
    const detail = `failed to check for dual stack with error:invalid IP[${broken}]: ${addresses[broken]}`;
    errors.push(new FieldError('InternalError', at, undefined, detail));
  }
  const families = new Set(parsed.map((ip) => ip && isIPv4(ip.bytes)));
  if (broken >= 0 || families.size !== 2 || addresses.length > 2) {
    const type = field === 'podIPs' ? 'PodIP' : 'HostIP';
    const badValue = status[field]!.map((ip) => internalForm(type, ip));
    errors.push(invalid(at, badValue, 'may specify no more than one IP for each IP family'));
  }
  return errors;
}

function validateHostIPs(status: PodStatus, old: PodStatus, options: PodValidationOptions): ErrorList {
  const first = status.hostIPs?.[0]?.ip;
  if (first === undefined) return [];
  const errors: ErrorList = [];
  if ((status.hostIP ?? '') !== first)
    errors.push(invalid(path.child('hostIPs').index(0).child('ip'), first, 'must be equal to `hostIP`'));
  errors.push(...validateIPs('hostIPs', status, old, options));
  return errors;
}
