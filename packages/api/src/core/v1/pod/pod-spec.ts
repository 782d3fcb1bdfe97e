import {
  checkField,
  duplicate,
  type ErrorList,
  forbidden,
  inclusiveRangeError,
  invalid,
  invalidEach,
  isDns1123Label,
  isDns1123Subdomain,
  isLongerThan,
  isQualifiedName,
  isValidIPForLegacyField,
  notFound,
  type ObjectMeta,
  type Path,
  required,
  tooLong,
  validateLabels,
} from '@coxswain/apimachinery';
import type { HostAlias, PodResourceClaim, PodSchedulingGroup, PodSpec } from '../../../generated/core/v1.ts';
import { checkRequiredSupported } from '../checks.ts';
import { internalForm } from '../internal-form/internal-form.ts';
import { validateContainerResourceRequirements } from '../resources/resource-requirements.ts';
import {
  type ContainerContext,
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from './container/container.ts';
import { validateHostNetworkPorts } from './container/container-ports.ts';
import { containersOf, containersWithPath } from './containers.ts';
import { validateDNSConfig } from './dns-config.ts';
import { isMirrorPod, refusePod } from './mirror-pod.ts';
import { validatePodOS } from './pod-os.ts';
import { validatePodResources } from './resources/pod-resources.ts';
import { validateAffinity } from './scheduling/affinity.ts';
import { validateTolerations } from './scheduling/tolerations.ts';
import { validateTopologySpreadConstraints } from './scheduling/topology-spread.ts';
import { validatePodSecurityContext } from './security/security-context.ts';
import { validateWindowsHostProcess } from './security/windows-options.ts';
import { envFilesInUse, type PodValidationOptions } from './validation-options.ts';
import { validateVolumes } from './volume/volume.ts';

const maxInt32 = 2 ** 31 - 1;
const noClaims: ReadonlySet<string> = new Set();
const restartPolicies = ['Always', 'OnFailure', 'Never'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const preemptionPolicies = ['PreemptLowerPriority', 'Never'];

/** Validates the spec of a pod, or of a template when `pod` is undefined. Defaults must be set. */
export function validatePodSpec(
  spec: PodSpec,
  pod: ObjectMeta | undefined,
  path: Path,
  options: PodValidationOptions,
  errors: ErrorList = [],
): ErrorList {
  if (spec.terminationGracePeriodSeconds === undefined)
    errors.push(required(path.child('terminationGracePeriodSeconds')));
  validateParts(spec, pod, path, options, errors);
  checkRequiredSupported(path, 'restartPolicy', spec.restartPolicy, restartPolicies, errors);
  checkRequiredSupported(path, 'dnsPolicy', spec.dnsPolicy, dnsPolicies, errors);
  if (spec.nodeSelector) validateLabels(spec.nodeSelector, path.child('nodeSelector'), errors);
  validatePodSecurityContext(spec, path.child('securityContext'), options, errors);
  if (spec.affinity) validateAffinity(spec.affinity, path.child('affinity'), options, errors);
  validateDNSConfig(spec.dnsConfig, spec.dnsPolicy, path.child('dnsConfig'), options, errors);
  validateReadinessAndSchedulingGates(spec, path, errors);
  const { topologySpreadConstraints: constraints, tolerations, hostAliases } = spec;
  if (constraints)
    validateTopologySpreadConstraints(constraints, path.child('topologySpreadConstraints'), options, errors);
  validateWindowsHostProcess(spec, path, options.allowPrivileged, errors);
  if (spec.hostUsers === false) validateHostUsers(spec, path, options, errors);
  if (spec.hostnameOverride !== undefined) validateHostnameOverride(spec.hostnameOverride, spec, path, errors);
  validateNames(spec, path, errors);
  if (tolerations) validateTolerations(tolerations, path.child('tolerations'), options, errors);
  if (hostAliases) validateHostAliases(hostAliases, path.child('hostAliases'), options, errors);
  validateClassNames(spec, path, errors);
  if (spec.overhead)
    validateContainerResourceRequirements({ limits: spec.overhead }, noClaims, path.child('overhead'), options, errors);
  validatePodOS(spec, path, errors);
  if (spec.schedulingGroup) validateSchedulingGroup(spec.schedulingGroup, path.child('schedulingGroup'), errors);
  validateFileKeyRefVolumes(spec, path, errors);
  return errors;
}

/** Validates volumes, claims and containers, and their references to each other. */
function validateParts(
  spec: PodSpec,
  pod: ObjectMeta | undefined,
  path: Path,
  options: PodValidationOptions,
  errors: ErrorList,
): void {
  const { initContainers, ephemeralContainers, resourceClaims } = spec;
  const volumes = validateVolumes(spec.volumes ?? [], pod, path.child('volumes'), options, errors);
  const podClaimNames = resourceClaims ? new Set(resourceClaims.map(({ name }) => name).filter(Boolean)) : noClaims;
  const context: ContainerContext = { spec, volumes, podClaimNames, options };
  if (resourceClaims) validatePodResourceClaims(resourceClaims, pod, path.child('resourceClaims'), errors);
  validateContainers(containersOf(spec), path.child('containers'), context, errors);
  if (initContainers) validateInitContainers(initContainers, path.child('initContainers'), context, errors);
  if (ephemeralContainers)
    validateEphemeralContainers(ephemeralContainers, path.child('ephemeralContainers'), context, errors);
  if (options.features.enabled('PodLevelResources')) validatePodResources(spec, podClaimNames, path, options, errors);
  validateHostNetworkPorts(spec, path, options.resourceIsPod, errors);
}

function validatePodResourceClaims(
  claims: readonly PodResourceClaim[],
  pod: ObjectMeta | undefined,
  path: Path,
  errors: ErrorList,
): void {
  const names = new Set<string>();
  claims.forEach((claim, i) => {
    if (pod && isMirrorPod(pod)) {
      errors.push(...refusePod('static pods do not support resource claims'));
      return;
    }
    const at = path.index(i);
    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    if (!name) errors.push(required(at.child('name')));
    else if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    else {
      checkField(at, 'name', name, isDns1123Label, errors);
      names.add(name);
    }
    const sources = [resourceClaimName, resourceClaimTemplateName].filter((source) => source !== undefined).length;
    if (sources !== 1) {
      const detail =
        sources === 2
          ? 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'
          : 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
      errors.push(invalid(at, internalForm('PodResourceClaim', claim), detail));
    }
    for (const field of ['resourceClaimName', 'resourceClaimTemplateName'] as const) {
      const target = claim[field];
      if (target !== undefined) checkField(at, field, target, isDns1123Subdomain, errors);
    }
  });
}

function validateReadinessAndSchedulingGates(
  { readinessGates, schedulingGates }: PodSpec,
  path: Path,
  errors: ErrorList,
): void {
  readinessGates?.forEach(({ conditionType }, i) => {
    checkField(path.child('readinessGates').index(i), 'conditionType', conditionType, isQualifiedName, errors);
  });
  const names = new Set<string>();
  schedulingGates?.forEach(({ name }, i) => {
    const at = path.child('schedulingGates').index(i);
    invalidEach(at, name, isQualifiedName(name), errors);
    if (names.has(name)) errors.push(duplicate(at, name));
    names.add(name);
  });
}

/** Validates that a pod with its own user namespace does not share other namespaces of the host. */
function validateHostUsers(spec: PodSpec, path: Path, options: PodValidationOptions, errors: ErrorList): void {
  const refuse = (at: Path) => forbidden(at, 'when `hostUsers` is false');
  if (spec.hostNetwork && !options.allowUserNamespacesHostNetworkSupport)
    errors.push(refuse(path.child('hostNetwork')));
  if (spec.hostPID) errors.push(refuse(path.child('HostPID')));
  if (spec.hostIPC) errors.push(refuse(path.child('HostIPC')));
  if (!options.allowUserNamespacesWithVolumeDevices)
    for (const [{ volumeDevices }, at] of containersWithPath(spec, path))
      if (volumeDevices && volumeDevices.length > 0) errors.push(refuse(at.child('volumeDevices')));
}

const maxHostnameLength = 64;

function validateHostnameOverride(
  hostname: string,
  { setHostnameAsFQDN, hostNetwork }: PodSpec,
  path: Path,
  errors: ErrorList,
): void {
  const at = path.child('hostnameOverride');
  if (setHostnameAsFQDN) errors.push(forbidden(at, 'may not be specified when setHostnameAsFQDN is true'));
  if (hostNetwork) errors.push(forbidden(at, 'may not be specified when hostNetwork is true'));
  if (isLongerThan(hostname, maxHostnameLength)) errors.push(tooLong(at, maxHostnameLength));
  invalidEach(at, hostname, isDns1123Subdomain(hostname), errors);
}

function validateNames(spec: PodSpec, path: Path, errors: ErrorList): void {
  const { serviceAccountName, nodeName, activeDeadlineSeconds: deadline, hostname, subdomain } = spec;
  if (serviceAccountName) checkField(path, 'serviceAccountName', serviceAccountName, isDns1123Subdomain, errors);
  if (nodeName) checkField(path, 'nodeName', nodeName, isDns1123Subdomain, errors);
  if (deadline !== undefined && (deadline < 1 || deadline > maxInt32))
    errors.push(invalid(path.child('activeDeadlineSeconds'), deadline, inclusiveRangeError(1, maxInt32)));
  if (hostname) checkField(path, 'hostname', hostname, isDns1123Label, errors);
  if (subdomain) checkField(path, 'subdomain', subdomain, isDns1123Label, errors);
}

function validateHostAliases(
  aliases: readonly HostAlias[],
  path: Path,
  { features }: PodValidationOptions,
  errors: ErrorList,
): void {
  const strict = features.enabled('StrictIPCIDRValidation');
  aliases.forEach(({ ip, hostnames }, i) => {
    const at = path.index(i);
    errors.push(...isValidIPForLegacyField(at.child('ip'), ip, strict, []));
    hostnames?.forEach((hostname, j) => {
      invalidEach(at.child('hostnames').index(j), hostname, isDns1123Subdomain(hostname), errors);
    });
  });
}

function validateClassNames(
  { priorityClassName, runtimeClassName, preemptionPolicy }: PodSpec,
  path: Path,
  errors: ErrorList,
): void {
  if (priorityClassName) checkField(path, 'priorityClassName', priorityClassName, isDns1123Subdomain, errors);
  if (runtimeClassName !== undefined)
    checkField(path, 'runtimeClassName', runtimeClassName, isDns1123Subdomain, errors);
  if (preemptionPolicy !== undefined)
    checkRequiredSupported(path, 'preemptionPolicy', preemptionPolicy, preemptionPolicies, errors);
}

function validateSchedulingGroup({ podGroupName }: PodSchedulingGroup, path: Path, errors: ErrorList): void {
  if (podGroupName !== undefined) checkField(path, 'podGroupName', podGroupName, isDns1123Subdomain, errors);
  else errors.push(invalid(path.child('podGroupName'), undefined, 'must specify one of: `podGroupName`'));
}

/** Validates that fileKeyRefs refer to emptyDir volumes. */
function validateFileKeyRefVolumes(spec: PodSpec, path: Path, errors: ErrorList): void {
  if (!envFilesInUse(spec)) return;
  const volumes = new Map(spec.volumes?.map((volume) => [volume.name, volume]));
  for (const [{ env }, at] of containersWithPath(spec, path))
    env?.forEach(({ valueFrom }, i) => {
      if (!valueFrom?.fileKeyRef) return;
      const { volumeName } = valueFrom.fileKeyRef;
      const namePath = at.child('env').index(i).child('valueFrom', 'fileKeyRef', 'volumeName');
      const volume = volumes.get(volumeName);
      if (!volume) errors.push(notFound(namePath, volumeName));
      else if (!volume.emptyDir)
        errors.push(invalid(namePath, volumeName, 'referenced volume must be of type emptyDir'));
    });
}
