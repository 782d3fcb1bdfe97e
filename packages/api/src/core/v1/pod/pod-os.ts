import { type ErrorList, forbidden, notSupported, type Path, required } from '@coxswain/apimachinery';
import type { PodSecurityContext, PodSpec, SecurityContext } from '../../../generated/core/v1.ts';
import { containersWithPath } from './containers.ts';

/** Fields that Windows pods must not set, in upstream's order: of the security context or, with a dot, of the spec. */
const linuxOnlyInPod: readonly (
  | keyof PodSecurityContext
  | '.hostUsers'
  | '.hostPID'
  | '.hostIPC'
  | '.shareProcessNamespace'
)[] = [
  'appArmorProfile',
  'seLinuxOptions',
  '.hostUsers',
  '.hostPID',
  '.hostIPC',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  '.shareProcessNamespace',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
];

const linuxOnlyInContainer: readonly (keyof SecurityContext)[] = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

/** Validates that a pod with `os` sets no fields of the other operating system. */
export function validatePodOS(spec: PodSpec, path: Path, errors: ErrorList): void {
  if (!spec.os) return;
  switch (spec.os.name) {
    case '':
      errors.push(required(path.child('os', 'name')));
      break;
    case 'linux':
      validateLinux(spec, path, errors);
      break;
    case 'windows':
      validateWindows(spec, path, errors);
      break;
    default:
      errors.push(notSupported(path.child('os'), spec.os.name, ['linux', 'windows']));
  }
}

function validateLinux(spec: PodSpec, path: Path, errors: ErrorList): void {
  const refuse = (at: Path) =>
    forbidden(at.child('securityContext', 'windowsOptions'), 'windows options cannot be set for a linux pod');
  if (spec.securityContext?.windowsOptions) errors.push(refuse(path));
  for (const [{ securityContext }, at] of containersWithPath(spec, path))
    if (securityContext?.windowsOptions) errors.push(refuse(at));
}

function validateWindows(spec: PodSpec, path: Path, errors: ErrorList): void {
  const refuse = (at: Path) => forbidden(at, 'cannot be set for a windows pod');
  for (const name of linuxOnlyInPod) {
    if (name.startsWith('.')) {
      const field = name.slice(1) as keyof PodSpec;
      if (spec[field] !== undefined) errors.push(refuse(path.child(field)));
    } else if (spec.securityContext?.[name as keyof PodSecurityContext] !== undefined)
      errors.push(refuse(path.child('securityContext', name)));
  }
  for (const [{ securityContext }, at] of containersWithPath(spec, path))
    for (const name of linuxOnlyInContainer)
      if (securityContext?.[name] !== undefined) errors.push(refuse(at.child('securityContext', name)));
}
