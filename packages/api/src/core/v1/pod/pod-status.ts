import {
  checkField,
  checkRequiredField,
  duplicate,
  type ErrorList,
  FieldError,
  forbidden,
  invalid,
  invalidEach,
  isDns1123Label,
  isDns1123Subdomain,
  isIPv4,
  isQualifiedName,
  isValidIPForLegacyField,
  Path,
  parseIPSloppy,
  required,
  validateImmutableField,
} from '@coxswain/apimachinery';
import type { Pod, PodCondition, PodSpec, PodStatus } from '../../../generated/core/v1.ts';
import { printedAsJson, sortedEntries } from '../checks.ts';
import { internalForm } from '../internal-form/internal-form.ts';
import { isNegativeAmount } from '../resources/amount.ts';
import { isNativeResource } from '../resources/resource-name.ts';
import { validateContainerStatuses, validateStateTransitions } from './container/container-status.ts';
import { containersOf, emptyPodSpec } from './containers.ts';
import { validatePodAnnotationsUpdate } from './pod-annotations.ts';
import type { PodValidationOptions } from './validation-options.ts';

const path = Path.of('status');
const annotationsPath = Path.of('metadata', 'annotations');

/** Validates an update of a pod's status. */
export function validatePodStatusUpdate(pod: Pod, old: Pod, options: PodValidationOptions): ErrorList {
  const { status = {}, spec = emptyPodSpec } = pod;
  const { status: oldStatus = {} } = old;
  const { annotations } = pod.metadata;
  const errors = validatePodAnnotationsUpdate(annotations, old.metadata.annotations, spec, annotationsPath, options);
  validateConditions(status.conditions ?? [], path.child('conditions'), errors);
  validateNominatedNode(status, old, options, errors);
  checkNonNegative(path, 'observedGeneration', status.observedGeneration, errors);
  validateImmutableField(status.qosClass ?? '', oldStatus.qosClass ?? '', path.child('qosClass'), errors);
  validateStateTransitions(status, old, path, options, errors);
  validateResourceClaimStatuses(status, spec, errors);
  validateExtendedResourceClaimStatus(status, spec, errors);
  validateNodeAllocatableClaims(status, spec, errors);
  validateIPs('podIPs', status, oldStatus, options, errors);
  validateHostIPs(status, oldStatus, options, errors);
  validateContainerStatuses(status, spec, path, options, errors);
  return errors;
}

function checkNonNegative(at: Path, name: string, value: number | undefined, errors: ErrorList): void {
  if (value !== undefined && value < 0) errors.push(invalid(at.child(name), value, 'must be a non-negative integer'));
}

const systemConditions = ['PodScheduled', 'Ready', 'Initialized'];

function validateConditions(conditions: readonly PodCondition[], at: Path, errors: ErrorList): void {
  conditions.forEach(({ type, observedGeneration }, i) => {
    checkNonNegative(at.index(i), 'observedGeneration', observedGeneration, errors);
    if (!systemConditions.includes(type)) checkField(at.index(i), 'Type', type, isQualifiedName, errors);
  });
}

function validateNominatedNode(
  status: PodStatus,
  old: Pod,
  { features }: PodValidationOptions,
  errors: ErrorList,
): void {
  const { nominatedNodeName: name } = status;
  if (!name || name === old.status?.nominatedNodeName) return;
  checkField(path, 'nominatedNodeName', name, isDns1123Subdomain, errors);
  if (old.spec?.nodeName && features.enabled('ClearingNominatedNodeNameAfterBinding'))
    errors.push(forbidden(path.child('nominatedNodeName'), 'may not be set on pods that are already bound to a node'));
}

function validateResourceClaimStatuses({ resourceClaimStatuses }: PodStatus, spec: PodSpec, errors: ErrorList): void {
  const names = new Set<string>();
  resourceClaimStatuses?.forEach(({ name, resourceClaimName }, i) => {
    const at = path.child('resourceClaimStatuses').index(i);
    if (!spec.resourceClaims?.some((claim) => claim.name === name))
      errors.push(invalid(at.child('name'), name, 'must match the name of an entry in `spec.resourceClaims`'));
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    if (resourceClaimName !== undefined) {
      const messages = isDns1123Subdomain(resourceClaimName);
      invalidEach(at.child('resourceClaimName'), printedAsJson(resourceClaimName), messages, errors);
    }
  });
}

function validateExtendedResourceClaimStatus(
  { extendedResourceClaimStatus }: PodStatus,
  spec: PodSpec,
  errors: ErrorList,
): void {
  if (!extendedResourceClaimStatus) return;
  const { resourceClaimName } = extendedResourceClaimStatus;
  const requestMappings = extendedResourceClaimStatus.requestMappings ?? [];
  const at = path.child('extendedResourceClaimStatus');
  const mappingsPath = at.child('requestMappings');
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
    checkField(at, 'requestName', requestName, isDns1123Label, errors);
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key))
      for (const field of ['containerName', 'resourceName', 'requestName'] as const)
        errors.push(duplicate(mappingPath.child(field), mapping[field]));
    seen.add(key);
  });
  checkRequiredField(at, 'resourceClaimName', resourceClaimName, isDns1123Subdomain, errors);
}

function validateNodeAllocatableClaims(status: PodStatus, spec: PodSpec, errors: ErrorList): void {
  const claims = [...(spec.resourceClaims ?? []), ...(status.resourceClaimStatuses ?? [])];
  status.nodeAllocatableResourceClaimStatuses?.forEach((claim, i) => {
    const at = path.child('nodeAllocatableResourceClaimStatuses').index(i);
    const namePath = at.child('resourceClaimName');
    const { resourceClaimName: name, containers = [], resources } = claim;
    if (!name) errors.push(required(namePath, 'must not be empty'));
    if (!claims.some(({ resourceClaimName }) => resourceClaimName === name))
      errors.push(invalid(namePath, name, 'no mapping found in pod reference'));
    if (containers.length === 0) errors.push(required(at.child('containers'), 'must not be empty'));
    const entries = sortedEntries(resources ?? {});
    if (entries.length === 0) errors.push(required(at.child('resources'), 'must not be empty'));
    for (const [resource, amount] of entries) {
      const key = at.child('resources').key(resource);
      if (!isNativeResource(resource)) errors.push(invalid(key, resource, 'must be a node allocatable resource name'));
      if (isNegativeAmount(amount)) errors.push(invalid(key, amount, 'must be non-negative'));
    }
  });
}

/** Validates addresses. Unchanged ones may have any notation. */
function validateIPs(
  field: 'podIPs' | 'hostIPs',
  status: PodStatus,
  old: PodStatus,
  { features }: PodValidationOptions,
  errors: ErrorList,
): void {
  const at = path.child(field);
  const addresses = (status[field] ?? []).map(({ ip }) => ip);
  const existing = (old[field] ?? []).map(({ ip }) => ip);
  const strict = features.enabled('StrictIPCIDRValidation');
  addresses.forEach((ip, i) => {
    errors.push(...isValidIPForLegacyField(at.index(i), ip, strict, existing));
  });
  if (addresses.length < 2) return;
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
}

function validateHostIPs(status: PodStatus, old: PodStatus, options: PodValidationOptions, errors: ErrorList): void {
  const first = status.hostIPs?.[0]?.ip;
  if (first === undefined) return;
  if ((status.hostIP ?? '') !== first)
    errors.push(invalid(path.child('hostIPs').index(0).child('ip'), first, 'must be equal to `hostIP`'));
  validateIPs('hostIPs', status, old, options, errors);
}
