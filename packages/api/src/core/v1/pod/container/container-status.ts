import {
  checkField,
  duplicate,
  type ErrorList,
  forbidden,
  invalid,
  invalidEach,
  isLongerThan,
  isValidGroupId,
  isValidUserId,
  ownEntry,
  type Path,
  required,
  tooLong,
} from '@coxswain/apimachinery';
import type {
  Container,
  ContainerStatus,
  LinuxContainerUser,
  Pod,
  PodSpec,
  PodStatus,
  ResourceStatus,
  VolumeMountStatus,
} from '../../../../generated/core/v1.ts';
import { printedAsJson, unlessSupported } from '../../checks.ts';
import { containersOf, regularAndInitContainers } from '../containers.ts';
import type { PodValidationOptions } from '../validation-options.ts';

const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

function forEachStatus(status: PodStatus, path: Path, visit: (one: ContainerStatus, path: Path) => void): void {
  for (const list of statusLists)
    status[list]?.forEach((one, i) => {
      visit(one, path.child(list).index(i));
    });
}

/** Reports whether a container that exits with this code is restarted: by its rules, else its policy, else the pod's policy. */
function restarts(
  container: Container,
  { restartPolicy: podPolicy }: PodSpec,
  exitCode: number,
  allRestart: boolean,
): boolean {
  const { restartPolicy, restartPolicyRules = [] } = container;
  if (restartPolicy !== undefined) {
    const rule = restartPolicyRules.find(({ exitCodes }) => {
      if (!exitCodes) return false;
      const listed = (exitCodes.values ?? []).includes(exitCode);
      return exitCodes.operator === 'In' ? listed : exitCodes.operator === 'NotIn' && !listed;
    });
    if (rule?.action === 'Restart' || (allRestart && rule?.action === 'RestartAllContainers')) return true;
  }
  const known = ['Always', 'OnFailure', 'Never'];
  const policy = restartPolicy !== undefined && known.includes(restartPolicy) ? restartPolicy : podPolicy;
  return policy === 'OnFailure' ? exitCode !== 0 : policy !== 'Never';
}

/** Validates that containers that terminated and are not restarted do not leave that state. */
export function validateStateTransitions(
  status: PodStatus,
  { spec, status: old = {} }: Pod,
  path: Path,
  options: PodValidationOptions,
  errors: ErrorList,
): void {
  const containers = spec ? regularAndInitContainers(spec) : [];
  const anyRestartsAll =
    options.allowRestartAllContainers &&
    options.allowContainerRestartPolicyRules &&
    containers.some((c) => c.restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'));
  for (const list of statusLists) {
    if (anyRestartsAll && list !== 'ephemeralContainerStatuses') continue;
    const mayRestart = ({ name, state }: ContainerStatus): boolean => {
      if (list === 'ephemeralContainerStatuses' || !spec) return false;
      const container = (list === 'containerStatuses' ? spec.containers : spec.initContainers)?.find(
        (one) => one.name === name,
      );
      return container
        ? restarts(container, spec, state!.terminated!.exitCode, options.allowRestartAllContainers)
        : false;
    };
    (old[list] ?? []).forEach((before, i) => {
      if (!before.state?.terminated) return;
      const alive = status[list]?.some((now) => now.name === before.name && !now.state?.terminated);
      if (alive && !mayRestart(before))
        errors.push(
          forbidden(path.child(list).index(i).child('state'), 'may not be transitioned to non-terminated state'),
        );
    });
  }
}

/** Validates container statuses: the user, the health of allocated devices, and the image digests of image volumes. */
export function validateContainerStatuses(
  status: PodStatus,
  spec: PodSpec,
  path: Path,
  { features }: PodValidationOptions,
  errors: ErrorList,
): void {
  const os = spec.os?.name ?? 'linux';
  forEachStatus(status, path, ({ user }, at) => {
    if (user?.linux) validateUser(user.linux, os, at.child('user', 'linux'), errors);
  });
  const { containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = status;
  validateAllocatedResources(containerStatuses, containersOf(spec), path.child('containerStatuses'), errors);
  validateAllocatedResources(
    initContainerStatuses,
    spec.initContainers ?? [],
    path.child('initContainerStatuses'),
    errors,
  );
  ephemeralContainerStatuses?.forEach(({ allocatedResourcesStatus = [] }, i) => {
    const at = path.child('ephemeralContainerStatuses').index(i).child('allocatedResourcesStatus');
    if (allocatedResourcesStatus.length > 0) errors.push(forbidden(at, 'must not be specified in container status'));
  });
  if (features.enabled('ImageVolumeWithDigest'))
    forEachStatus(status, path, ({ volumeMounts }, at) => {
      volumeMounts?.forEach((mount, i) => {
        validateImageDigest(mount, at.child('volumeMounts').index(i).child('volumeStatus'), errors);
      });
    });
}

function validateUser(linux: LinuxContainerUser, os: string, path: Path, errors: ErrorList): void {
  if (os === 'windows') errors.push(forbidden(path, 'cannot be set for a windows pod'));
  if (os !== 'linux') return;
  checkField(path, 'uid', linux.uid, isValidUserId, errors);
  checkField(path, 'gid', linux.gid, isValidGroupId, errors);
  linux.supplementalGroups?.forEach((group, i) => {
    invalidEach(path.child('supplementalGroups').index(i), group, isValidGroupId(group), errors);
  });
}

function validateAllocatedResources(
  statuses: readonly ContainerStatus[] | undefined,
  containers: readonly Container[],
  path: Path,
  errors: ErrorList,
): void {
  statuses?.forEach(({ name, allocatedResourcesStatus }, i) => {
    if (!allocatedResourcesStatus) return;
    const container = containers.find((one) => one.name === name);
    allocatedResourcesStatus.forEach((resource, j) => {
      const at = path.index(i).child('allocatedResourcesStatus').index(j);
      if (container) validateAllocatedName(resource.name, container, at.child('name'), errors);
      validateHealth(resource, at.child('resources'), errors);
    });
  });
}

function validateAllocatedName(name: string, { resources }: Container, path: Path, errors: ErrorList): void {
  const refuse = (detail: string) => errors.push(invalid(path, printedAsJson(name), detail));
  if (name.startsWith('claim:')) {
    const claimed = resources?.claims?.some(
      (claim) => name === (claim.request ? `claim:${claim.name}/${claim.request}` : `claim:${claim.name}`),
    );
    if (!claimed)
      refuse(
        "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty",
      );
  } else if (ownEntry(resources?.requests, name) === undefined)
    refuse("must match one of the container's resource requests");
}

const healthStates = ['Healthy', 'Unhealthy', 'Unknown'];
const maxHealthMessage = 1024;

function validateHealth({ resources }: ResourceStatus, path: Path, errors: ErrorList): void {
  const ids = new Set<string>();
  resources?.forEach(({ resourceID, health, message }, i) => {
    const at = path.index(i);
    unlessSupported(at.child('health'), health, healthStates, errors);
    if (message === '') errors.push(required(at.child('message'), 'must be non-empty if specified'));
    else if (message !== undefined && isLongerThan(message, maxHealthMessage))
      errors.push(tooLong(at.child('message'), maxHealthMessage));
    if (ids.has(resourceID)) errors.push(duplicate(at.child('resourceID'), resourceID));
    ids.add(resourceID);
  });
}

const maxImageRef = 256;

function validateImageDigest({ volumeStatus }: VolumeMountStatus, path: Path, errors: ErrorList): void {
  const image = volumeStatus?.image;
  if (!image) return;
  const { imageRef = '' } = image;
  const at = path.child('imageVolumeStatus', 'imageRef');
  if (!imageRef) errors.push(required(at, 'imageRef must not be empty'));
  if (isLongerThan(imageRef, maxImageRef)) errors.push(tooLong(at, maxImageRef));
}
