import {
  duplicate,
  type ErrorList,
  forbidden,
  invalid,
  isLongerThan,
  isValidGroupId,
  isValidUserId,
  type Path,
  required,
  tooLong,
} from '@coxswain/apimachinery';
import type {
  Container,
  ContainerStatus,
  Pod,
  PodSpec,
  PodStatus,
  ResourceStatus,
  VolumeMountStatus,
} from '../../../generated/core/v1.ts';
import { invalidEach, printedAsJson, unlessSupported } from './checks.ts';
import { containersOf, regularAndInitContainers } from './containers.ts';
import type { PodValidationOptions } from './validation-options.ts';

const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

const listsOf = (status: PodStatus, path: Path): [ContainerStatus[], Path][] =>
  statusLists.map((list) => [status[list] ?? [], path.child(list)]);

/** Whether the container starts again after it ended with this code: its rules say, or its policy, or the pod's. */
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

/** A container that has ended for good does not come back to life. */
export function validateStateTransitions(
  status: PodStatus,
  { spec, status: old = {} }: Pod,
  path: Path,
  options: PodValidationOptions,
): ErrorList {
  const errors: ErrorList = [];
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
  return errors;
}

/** What is said of each container: as whom it runs, the health of its devices, the digests of its image volumes. */
export function validateContainerStatuses(
  status: PodStatus,
  spec: PodSpec,
  path: Path,
  { features }: PodValidationOptions,
): ErrorList {
  const errors: ErrorList = [];
  const all = listsOf(status, path);
  for (const [statuses, at] of all)
    statuses.forEach((one, i) => {
      errors.push(...validateUser(one, spec.os?.name ?? 'linux', at.index(i).child('user', 'linux')));
    });
  const [[regular, regularPath], [init, initPath], [ephemeral, ephemeralPath]] = all as [
    [ContainerStatus[], Path],
    [ContainerStatus[], Path],
    [ContainerStatus[], Path],
  ];
  errors.push(...validateAllocatedResources(regular, containersOf(spec), regularPath));
  errors.push(...validateAllocatedResources(init, spec.initContainers ?? [], initPath));
  ephemeral.forEach(({ allocatedResourcesStatus = [] }, i) => {
    const at = ephemeralPath.index(i).child('allocatedResourcesStatus');
    if (allocatedResourcesStatus.length > 0) errors.push(forbidden(at, 'must not be specified in container status'));
  });
  if (features.enabled('ImageVolumeWithDigest'))
    for (const [statuses, at] of all)
      statuses.forEach(({ volumeMounts }, i) => {
        volumeMounts?.forEach((mount, j) => {
          const mountPath = at.index(i).child('volumeMounts').index(j);
          errors.push(...validateImageDigest(mount, mountPath.child('volumeStatus')));
        });
      });
  return errors;
}

function validateUser({ user }: ContainerStatus, os: string, path: Path): ErrorList {
  const linux = user?.linux;
  if (!linux) return [];
  if (os === 'windows') return [forbidden(path, 'cannot be set for a windows pod')];
  if (os !== 'linux') return [];
  return [
    ...invalidEach(path.child('uid'), linux.uid, isValidUserId(linux.uid)),
    ...invalidEach(path.child('gid'), linux.gid, isValidGroupId(linux.gid)),
    ...(linux.supplementalGroups ?? []).flatMap((group, i) =>
      invalidEach(path.child('supplementalGroups').index(i), group, isValidGroupId(group)),
    ),
  ];
}

function validateAllocatedResources(
  statuses: readonly ContainerStatus[],
  containers: readonly Container[],
  path: Path,
): ErrorList {
  return statuses.flatMap(({ name, allocatedResourcesStatus = [] }, i) => {
    const container = containers.find((one) => one.name === name);
    return allocatedResourcesStatus.flatMap((resource, j) => {
      const at = path.index(i).child('allocatedResourcesStatus').index(j);
      const errors: ErrorList = container ? validateAllocatedName(resource.name, container, at.child('name')) : [];
      errors.push(...validateHealth(resource, at.child('resources')));
      return errors;
    });
  });
}

function validateAllocatedName(name: string, { resources }: Container, path: Path): ErrorList {
  if (name.startsWith('claim:')) {
    const claims = (resources?.claims ?? []).map((claim) =>
      claim.request ? `claim:${claim.name}/${claim.request}` : `claim:${claim.name}`,
    );
    const detail =
      "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
    return claims.includes(name) ? [] : [invalid(path, printedAsJson(name), detail)];
  }
  return Object.hasOwn(resources?.requests ?? {}, name)
    ? []
    : [invalid(path, printedAsJson(name), "must match one of the container's resource requests")];
}

const maxHealthMessage = 1024;

function validateHealth({ resources = [] }: ResourceStatus, path: Path): ErrorList {
  const ids = new Set<string>();
  return resources.flatMap(({ resourceID, health, message }, i) => {
    const at = path.index(i);
    const errors = unlessSupported(at.child('health'), health ?? '', ['Healthy', 'Unhealthy', 'Unknown']);
    if (message === '') errors.push(required(at.child('message'), 'must be non-empty if specified'));
    else if (message !== undefined && isLongerThan(message, maxHealthMessage))
      errors.push(tooLong(at.child('message'), maxHealthMessage));
    if (ids.has(resourceID)) errors.push(duplicate(at.child('resourceID'), resourceID));
    ids.add(resourceID);
    return errors;
  });
}

const maxImageRef = 256;

function validateImageDigest({ volumeStatus }: VolumeMountStatus, path: Path): ErrorList {
  const image = volumeStatus?.image;
  if (!image) return [];
  const at = path.child('imageVolumeStatus', 'imageRef');
  return [
    ...(image.imageRef ? [] : [required(at, 'imageRef must not be empty')]),
    ...(isLongerThan(image.imageRef ?? '', maxImageRef) ? [tooLong(at, maxImageRef)] : []),
  ];
}
