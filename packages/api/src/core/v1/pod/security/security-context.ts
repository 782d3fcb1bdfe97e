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
  type Path,
  required,
  tooLong,
} from '@coxswain/apimachinery';
import type {
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
  Sysctl,
} from '../../../../generated/core/v1.ts';
import { checkSupported, printedAsJson, unlessSupported } from '../../checks.ts';
import { internalForm } from '../../internal-form/internal-form.ts';
import { validateLocalDescendingPath } from '../../volume/path-rules.ts';
import type { PodValidationOptions } from '../validation-options.ts';
import { validateWindowsSecurityContextOptions } from './windows-options.ts';

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function validateSeccompProfile(profile: SeccompProfile, path: Path, errors: ErrorList): void {
  const { type, localhostProfile } = profile;
  const profilePath = path.child('localhostProfile');
  if (type) checkSupported(path, 'type', type, profileTypes, errors);
  else errors.push(required(path.child('type'), 'type is required when seccompProfile is set'));
  if (type !== 'Localhost') {
    if (localhostProfile !== undefined) {
      const badValue = internalForm('SeccompProfile', profile);
      errors.push(invalid(profilePath, badValue, 'can only be set when seccomp type is Localhost'));
    }
  } else if (localhostProfile === undefined) {
    errors.push(required(profilePath, 'must be set when seccomp type is Localhost'));
  } else validateLocalDescendingPath(localhostProfile, profilePath, errors);
}

/** The longest path that Linux supports. */
const maxLocalhostProfileLength = 4095;

export function validateAppArmorProfile({ type, localhostProfile }: AppArmorProfile, path: Path): ErrorList {
  const typePath = path.child('type');
  const profilePath = path.child('localhostProfile');
  if (!type) return [required(typePath, 'type is required when appArmorProfile is set')];
  if (type !== 'Localhost') {
    if (!profileTypes.includes(type)) return unlessSupported(typePath, type, profileTypes);
    return localhostProfile === undefined
      ? []
      : [invalid(profilePath, printedAsJson(localhostProfile), 'can only be set when AppArmor type is Localhost')];
  }
  const unset = required(profilePath, 'must be set when AppArmor type is Localhost');
  if (!localhostProfile) return [unset];
  const errors: ErrorList = [];
  if (localhostProfile.trim() !== localhostProfile)
    errors.push(invalid(profilePath, localhostProfile, 'must not be padded with whitespace'));
  if (isLongerThan(localhostProfile, maxLocalhostProfileLength))
    errors.push(tooLong(profilePath, maxLocalhostProfileLength));
  return errors;
}

const sysctlPattern = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const sysctlName = new RegExp(sysctlPattern);
const maxSysctlLength = 253;
/** Sysctls of the IPC namespace, including the prefixes of the patterns `kernel.shm*` and `kernel.msg*`. */
const ipcSysctls = new Set(
  'sem shmall shmmax shmmni shm_rmid_forced shm msgmax msgmnb msgmni msg'.split(' ').map((name) => `kernel.${name}`),
);

/** Returns the name with dots as separators, up to the first wildcard. */
function normalizedSysctl(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  const dotted = separator === '/' ? name.replace(/[./]/g, (found) => (found === '/' ? '.' : '/')) : name;
  return dotted.split('*', 1)[0]!;
}

/** Returns why a pod that shares a namespace of the host may not set this sysctl; undefined if it may. */
export function hostSysctlConflict(
  name: string,
  { hostNetwork, hostIPC }: Pick<PodSpec, 'hostNetwork' | 'hostIPC'>,
): string | undefined {
  const dotted = normalizedSysctl(name);
  if (hostNetwork && dotted.startsWith('net.')) return "may not be specified when 'hostNetwork' is true";
  if (hostIPC && (ipcSysctls.has(dotted) || dotted.startsWith('fs.mqueue.')))
    return "may not be specified when 'hostIPC' is true";
  return undefined;
}

function validateSysctls(
  sysctls: readonly Sysctl[],
  spec: PodSpec,
  path: Path,
  { allowNamespacedSysctlsForHostNetAndHostIPC: allowConflicts }: PodValidationOptions,
  errors: ErrorList,
): void {
  const seen = new Set<string>();
  sysctls.forEach(({ name }, i) => {
    const at = path.index(i).child('name');
    if (!name) errors.push(required(at));
    else if (isLongerThan(name, maxSysctlLength) || !sysctlName.test(name))
      errors.push(
        invalid(at, name, `must have at most ${maxSysctlLength} characters and match regex ${sysctlPattern}`),
      );
    else if (seen.has(name)) errors.push(duplicate(at, name));
    const conflict = allowConflicts ? undefined : hostSysctlConflict(name, spec);
    if (conflict) errors.push(invalid(at, name, conflict));
    seen.add(name);
  });
}

/** Validates runAsUser and runAsGroup of a pod or container. */
function validateIds(
  context: Pick<PodSecurityContext, 'runAsUser' | 'runAsGroup'>,
  path: Path,
  errors: ErrorList,
): void {
  const { runAsUser, runAsGroup } = context;
  if (runAsUser !== undefined) checkField(path, 'runAsUser', runAsUser, isValidUserId, errors);
  if (runAsGroup !== undefined) checkField(path, 'runAsGroup', runAsGroup, isValidGroupId, errors);
}

const fsGroupChangePolicies = ['Always', 'OnRootMismatch'];
const supplementalGroupsPolicies = ['Merge', 'Strict'];
const seLinuxChangePolicies = ['MountOption', 'Recursive'];
const recursiveOnly = ['Recursive'];

export function validatePodSecurityContext(
  spec: PodSpec,
  path: Path,
  options: PodValidationOptions,
  errors: ErrorList,
): void {
  const context: PodSecurityContext | undefined = spec.securityContext;
  if (!context) return;
  const { fsGroup, supplementalGroups, sysctls, seccompProfile, windowsOptions, appArmorProfile } = context;
  if (fsGroup !== undefined) checkField(path, 'fsGroup', fsGroup, isValidGroupId, errors);
  validateIds(context, path, errors);
  supplementalGroups?.forEach((group, i) => {
    invalidEach(path.child('supplementalGroups').index(i), group, isValidGroupId(group), errors);
  });
  if (spec.shareProcessNamespace && spec.hostPID) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
    errors.push(invalid(path.child('shareProcessNamespace'), true, detail));
  }
  if (sysctls) validateSysctls(sysctls, spec, path.child('sysctls'), options, errors);
  checkSupported(path, 'fsGroupChangePolicy', context.fsGroupChangePolicy, fsGroupChangePolicies, errors);
  if (seccompProfile) validateSeccompProfile(seccompProfile, path.child('seccompProfile'), errors);
  if (windowsOptions) validateWindowsSecurityContextOptions(windowsOptions, path.child('windowsOptions'), errors);
  if (appArmorProfile) errors.push(...validateAppArmorProfile(appArmorProfile, path.child('appArmorProfile')));
  const { supplementalGroupsPolicy, seLinuxChangePolicy } = context;
  checkSupported(path, 'supplementalGroupsPolicy', supplementalGroupsPolicy, supplementalGroupsPolicies, errors);
  const allowed = options.allowOnlyRecursiveSELinuxChangePolicy ? recursiveOnly : seLinuxChangePolicies;
  checkSupported(path, 'seLinuxChangePolicy', seLinuxChangePolicy, allowed, errors);
}

const procMounts = ['Default', 'Unmasked'];

/** Validates a container's security context. `hostUsers` says that the pod shares the host's user namespace. */
export function validateSecurityContext(
  context: SecurityContext,
  path: Path,
  hostUsers: boolean,
  { allowPrivileged }: Pick<PodValidationOptions, 'allowPrivileged'>,
  errors: ErrorList,
): void {
  const { privileged, procMount, seccompProfile, windowsOptions, appArmorProfile } = context;
  if (privileged && !allowPrivileged) errors.push(forbidden(path.child('privileged'), 'disallowed by cluster policy'));
  validateIds(context, path, errors);
  checkSupported(path, 'procMount', procMount, procMounts, errors);
  if (hostUsers && procMount === 'Unmasked')
    errors.push(invalid(path.child('procMount'), procMount, '`hostUsers` must be false to use `Unmasked`'));
  if (seccompProfile) validateSeccompProfile(seccompProfile, path.child('seccompProfile'), errors);
  if (context.allowPrivilegeEscalation === false) validateNoEscalation(context, path, errors);
  if (windowsOptions) validateWindowsSecurityContextOptions(windowsOptions, path.child('windowsOptions'), errors);
  if (appArmorProfile) errors.push(...validateAppArmorProfile(appArmorProfile, path.child('appArmorProfile')));
}

/** Validates that a container with allowPrivilegeEscalation=false has no privileges already. */
function validateNoEscalation(context: SecurityContext, path: Path, errors: ErrorList): void {
  const { privileged, capabilities } = context;
  const refuse = (what: string) =>
    invalid(
      path,
      internalForm('SecurityContext', context),
      `cannot set \`allowPrivilegeEscalation\` to false and ${what}`,
    );
  if (privileged) errors.push(refuse('`privileged` to true'));
  for (const capability of capabilities?.add ?? [])
    if (capability === 'CAP_SYS_ADMIN') errors.push(refuse('`capabilities.Add` CAP_SYS_ADMIN'));
}
