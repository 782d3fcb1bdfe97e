import {
  duplicate,
  type ErrorList,
  forbidden,
  inclusiveRangeError,
  invalid,
  isDns1123Label,
  isDns1123Subdomain,
  isLongerThan,
  isQualifiedName,
  isValidIPForLegacyField,
  nameIsDnsSubdomain,
  notFound,
  type ObjectMeta,
  type Path,
  required,
  tooLong,
  validateLabels,
  validateServiceAccountName,
} from '@coxswain/apimachinery';
import type { HostAlias, PodResourceClaim, PodSchedulingGate, PodSpec } from '../../../generated/core/v1.ts';
import { validateAffinity } from './affinity.ts';
import { invalidEach, requiredSupported, unlessSupported } from './checks.ts';
import {
  type ContainerContext,
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from './container.ts';
import { validateHostNetworkPorts } from './container-ports.ts';
import { containersWithPath } from './containers.ts';
import { validateDNSConfig } from './dns-config.ts';
import { internalForm } from './internal-form.ts';
import { isMirrorPod, refusePod } from './mirror-pod.ts';
import { validatePodOS } from './pod-os.ts';
import { validatePodResources } from './pod-resources.ts';
import { validateContainerResourceRequirements } from './resource-requirements.ts';
import { validatePodSecurityContext } from './security-context.ts';
import { validateTolerations } from './tolerations.ts';
import { validateTopologySpreadConstraints } from './topology-spread.ts';
import type { PodValidationOptions } from './validation-options.ts';
import { validateVolumes } from './volume.ts';
import { validateWindowsHostProcess } from './windows-options.ts';

const maxInt32 = 2 ** 31 - 1;

/** The spec of a pod, or of a template: then there are no metadata of a pod. Defaults must have been set. */
export function validatePodSpec(
  spec: PodSpec,
  pod: ObjectMeta | undefined,
  path: Path,
  options: PodValidationOptions,
): ErrorList {
  const errors: ErrorList = [];
  if (spec.terminationGracePeriodSeconds === undefined)
    errors.push(required(path.child('terminationGracePeriodSeconds')));
  const volumes = validateVolumes(spec.volumes ?? [], pod, path.child('volumes'), options);
  errors.push(...volumes.errors);
  const claims = spec.resourceClaims ?? [];
  const podClaimNames = [...new Set(claims.map(({ name }) => name).filter(Boolean))];
  const context: ContainerContext = { spec, volumes: volumes.volumes, podClaimNames, options };
  errors.push(
    ...validatePodResourceClaims(claims, pod, path.child('resourceClaims')),
    ...validateContainers(spec.containers, path.child('containers'), context),
    ...validateInitContainers(spec.initContainers ?? [], path.child('initContainers'), context),
    ...validateEphemeralContainers(spec.ephemeralContainers ?? [], path.child('ephemeralContainers'), context),
    ...(options.features.enabled('PodLevelResources') ? validatePodResources(spec, podClaimNames, path, options) : []),
    ...validateHostNetworkPorts(spec, path, options.resourceIsPod),
    ...requiredSupported(path.child('restartPolicy'), spec.restartPolicy, ['Always', 'OnFailure', 'Never']),
    ...requiredSupported(path.child('dnsPolicy'), spec.dnsPolicy, [
      'ClusterFirstWithHostNet',
      'ClusterFirst',
      'Default',
      'None',
    ]),
    ...validateLabels(spec.nodeSelector, path.child('nodeSelector')),
    ...validatePodSecurityContext(spec, path.child('securityContext'), options),
    ...validateAffinity(spec.affinity, path.child('affinity'), options),
    ...validateDNSConfig(spec.dnsConfig, spec.dnsPolicy, path.child('dnsConfig'), options),
    ...(spec.readinessGates ?? []).flatMap(({ conditionType }, i) => {
      const at = path.child('readinessGates').index(i).child('conditionType');
      return invalidEach(at, conditionType, isQualifiedName(conditionType));
    }),
    ...validateSchedulingGates(spec.schedulingGates ?? [], path.child('schedulingGates')),
    ...validateTopologySpreadConstraints(
      spec.topologySpreadConstraints ?? [],
      path.child('topologySpreadConstraints'),
      options,
    ),
    ...validateWindowsHostProcess(spec, path, options.allowPrivileged),
    ...validateHostUsers(spec, path, options),
    ...validateHostnameOverride(spec, path),
    ...validateNames(spec, path),
    ...validateTolerations(spec.tolerations ?? [], path.child('tolerations'), options),
    ...validateHostAliases(spec.hostAliases ?? [], path.child('hostAliases'), options),
    ...validateClassNames(spec, path),
  );
  if (spec.overhead) {
    const overhead = { limits: spec.overhead };
    errors.push(...validateContainerResourceRequirements(overhead, [], path.child('overhead'), options));
  }
  errors.push(...validatePodOS(spec, path));
  if (spec.schedulingGroup) {
    const { podGroupName } = spec.schedulingGroup;
    const at = path.child('schedulingGroup', 'podGroupName');
    errors.push(
      ...(podGroupName === undefined
        ? [invalid(at, undefined, 'must specify one of: `podGroupName`')]
        : invalidEach(at, podGroupName, nameIsDnsSubdomain(podGroupName, false))),
    );
  }
  errors.push(...validateFileKeyRefVolumes(spec, path));
  return errors;
}

function validatePodResourceClaims(
  claims: readonly PodResourceClaim[],
  pod: ObjectMeta | undefined,
  path: Path,
): ErrorList {
  const names = new Set<string>();
  return claims.flatMap((claim, i) => {
    if (pod && isMirrorPod(pod)) return refusePod('static pods do not support resource claims');
    const at = path.index(i);
    const namePath = at.child('name');
    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    const errors: ErrorList = [];
    if (!name) errors.push(required(namePath));
    else if (names.has(name)) errors.push(duplicate(namePath, name));
    else {
      errors.push(...invalidEach(namePath, name, isDns1123Label(name)));
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
      if (target !== undefined) errors.push(...invalidEach(at.child(field), target, nameIsDnsSubdomain(target, false)));
    }
    return errors;
  });
}

function validateSchedulingGates(gates: readonly PodSchedulingGate[], path: Path): ErrorList {
  return gates.flatMap(({ name }, i) => [
    ...invalidEach(path.index(i), name, isQualifiedName(name)),
    ...(gates.findIndex((gate) => gate.name === name) < i ? [duplicate(path.index(i), name)] : []),
  ]);
}

/** With user namespaces of its own a pod cannot share other namespaces of the host. */
function validateHostUsers(spec: PodSpec, path: Path, options: PodValidationOptions): ErrorList {
  if (spec.hostUsers !== false) return [];
  const refuse = (at: Path) => forbidden(at, 'when `hostUsers` is false');
  const errors: ErrorList = [];
  if (spec.hostNetwork && !options.allowUserNamespacesHostNetworkSupport)
    errors.push(refuse(path.child('hostNetwork')));
  if (spec.hostPID) errors.push(refuse(path.child('HostPID')));
  if (spec.hostIPC) errors.push(refuse(path.child('HostIPC')));
  if (!options.allowUserNamespacesWithVolumeDevices)
    for (const [{ volumeDevices }, at] of containersWithPath(spec, path))
      if (volumeDevices && volumeDevices.length > 0) errors.push(refuse(at.child('volumeDevices')));
  return errors;
}

const maxHostnameLength = 64;

function validateHostnameOverride(
  { hostnameOverride, setHostnameAsFQDN, hostNetwork }: PodSpec,
  path: Path,
): ErrorList {
  if (hostnameOverride === undefined) return [];
  const at = path.child('hostnameOverride');
  const errors: ErrorList = [];
  if (setHostnameAsFQDN) errors.push(forbidden(at, 'may not be specified when setHostnameAsFQDN is true'));
  if (hostNetwork) errors.push(forbidden(at, 'may not be specified when hostNetwork is true'));
  if (isLongerThan(hostnameOverride, maxHostnameLength)) errors.push(tooLong(at, maxHostnameLength));
  errors.push(...invalidEach(at, hostnameOverride, isDns1123Subdomain(hostnameOverride)));
  return errors;
}

function validateNames(spec: PodSpec, path: Path): ErrorList {
  const { activeDeadlineSeconds: deadline } = spec;
  const check = (
    name: 'serviceAccountName' | 'nodeName' | 'hostname' | 'subdomain',
    rule: (text: string) => string[],
  ) => (spec[name] ? invalidEach(path.child(name), spec[name], rule(spec[name])) : []);
  return [
    ...check('serviceAccountName', (name) => validateServiceAccountName(name, false)),
    ...check('nodeName', (name) => nameIsDnsSubdomain(name, false)),
    ...(deadline !== undefined && (deadline < 1 || deadline > maxInt32)
      ? [invalid(path.child('activeDeadlineSeconds'), deadline, inclusiveRangeError(1, maxInt32))]
      : []),
    ...check('hostname', isDns1123Label),
    ...check('subdomain', isDns1123Label),
  ];
}

function validateHostAliases(aliases: readonly HostAlias[], path: Path, { features }: PodValidationOptions): ErrorList {
  const strict = features.enabled('StrictIPCIDRValidation');
  return aliases.flatMap(({ ip, hostnames = [] }, i) => [
    ...isValidIPForLegacyField(path.index(i).child('ip'), ip, strict, []),
    ...hostnames.flatMap((hostname, j) =>
      invalidEach(path.index(i).child('hostnames').index(j), hostname, isDns1123Subdomain(hostname)),
    ),
  ]);
}

function validateClassNames({ priorityClassName, runtimeClassName, preemptionPolicy }: PodSpec, path: Path): ErrorList {
  const errors: ErrorList = [];
  if (priorityClassName)
    errors.push(
      ...invalidEach(path.child('priorityClassName'), priorityClassName, nameIsDnsSubdomain(priorityClassName, false)),
    );
  if (runtimeClassName !== undefined)
    errors.push(
      ...invalidEach(path.child('runtimeClassName'), runtimeClassName, nameIsDnsSubdomain(runtimeClassName, false)),
    );
  if (preemptionPolicy !== undefined)
    errors.push(...validatePreemptionPolicy(preemptionPolicy, path.child('preemptionPolicy')));
  return errors;
}

/** Also for priority classes. */
export const validatePreemptionPolicy = (policy: string, path: Path): ErrorList =>
  policy ? unlessSupported(path, policy, ['PreemptLowerPriority', 'Never']) : [required(path)];

/** Variables are read from files of empty directories only. */
function validateFileKeyRefVolumes(spec: PodSpec, path: Path): ErrorList {
  const errors: ErrorList = [];
  for (const [{ env }, at] of containersWithPath(spec, path))
    env?.forEach(({ valueFrom }, i) => {
      if (!valueFrom?.fileKeyRef) return;
      const { volumeName } = valueFrom.fileKeyRef;
      const namePath = at.child('env').index(i).child('valueFrom', 'fileKeyRef', 'volumeName');
      const volume = spec.volumes?.findLast(({ name }) => name === volumeName);
      if (!volume) errors.push(notFound(namePath, volumeName));
      else if (!volume.emptyDir)
        errors.push(invalid(namePath, volumeName, 'referenced volume must be of type emptyDir'));
    });
  return errors;
}
