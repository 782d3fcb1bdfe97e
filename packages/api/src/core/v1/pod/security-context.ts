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
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
} from '../../../generated/core/v1.ts';
import { invalidEach, printedAsJson, unlessSupported } from './checks.ts';
import { internalForm } from './internal-form.ts';
import { validateLocalDescendingPath } from './path-rules.ts';
import type { PodValidationOptions } from './validation-options.ts';
import { validateWindowsSecurityContextOptions } from './windows-options.ts';

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function validateSeccompProfile(profile: SeccompProfile | undefined, path: Path): ErrorList {
  if (!profile) return [];
  const { type, localhostProfile } = profile;
  const typePath = path.child('type');
  const profilePath = path.child('localhostProfile');
  const errors = type
    ? unlessSupported(typePath, type, profileTypes)
    : [required(typePath, 'type is required when seccompProfile is set')];
  if (type !== 'Localhost') {
    if (localhostProfile !== undefined) {
      const badValue = internalForm('SeccompProfile', profile);
      errors.push(invalid(profilePath, badValue, 'can only be set when seccomp type is Localhost'));
    }
  } else if (localhostProfile === undefined) {
    errors.push(required(profilePath, 'must be set when seccomp type is Localhost'));
  } else errors.push(...validateLocalDescendingPath(localhostProfile, profilePath));
  return errors;
}

/** The longest path that Linux takes. */
const maxLocalhostProfileLength = 4095;

export function validateAppArmorProfile(profile: AppArmorProfile | undefined, path: Path): ErrorList {
  if (!profile) return [];
  const { type, localhostProfile } = profile;
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
/** Those of the IPC namespace, with what is left of the patterns `kernel.shm*` and `kernel.msg*`. */
const ipcSysctls = new Set(
  'sem shmall shmmax shmmni shm_rmid_forced shm msgmax msgmnb msgmni msg'.split(' ').map((name) => `kernel.${name}`),
);

/** With dots between its parts, whichever way it is written, up to the first wildcard. */
function normalizedSysctl(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  const dotted = separator === '/' ? name.replace(/[./]/g, (found) => (found === '/' ? '.' : '/')) : name;
  return dotted.split('*', 1)[0]!;
}

/** Why a pod that shares the host's namespace may not set this; undefined if it may. */
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

function validateSysctls(spec: PodSpec, path: Path, options: PodValidationOptions): ErrorList {
  const errors: ErrorList = [];
  const seen = new Set<string>();
  (spec.securityContext?.sysctls ?? []).forEach(({ name }, i) => {
    const at = path.index(i).child('name');
    if (!name) errors.push(required(at));
    else if (isLongerThan(name, maxSysctlLength) || !sysctlName.test(name))
      errors.push(
        invalid(at, name, `must have at most ${maxSysctlLength} characters and match regex ${sysctlPattern}`),
      );
    else if (seen.has(name)) errors.push(duplicate(at, name));
    const conflict = options.allowNamespacedSysctlsForHostNetAndHostIPC ? undefined : hostSysctlConflict(name, spec);
    if (conflict) errors.push(invalid(at, name, conflict));
    seen.add(name);
  });
  return errors;
}

const ids = (path: Path, value: number | undefined, check: (id: number) => string[]): ErrorList =>
  value === undefined ? [] : invalidEach(path, value, check(value));

const policy = (path: Path, value: string | undefined, values: readonly string[]): ErrorList =>
  value === undefined ? [] : unlessSupported(path, value, values);

export function validatePodSecurityContext(spec: PodSpec, path: Path, options: PodValidationOptions): ErrorList {
  const context: PodSecurityContext | undefined = spec.securityContext;
  if (!context) return [];
  const errors = [
    ...ids(path.child('fsGroup'), context.fsGroup, isValidGroupId),
    ...ids(path.child('runAsUser'), context.runAsUser, isValidUserId),
    ...ids(path.child('runAsGroup'), context.runAsGroup, isValidGroupId),
    ...(context.supplementalGroups ?? []).flatMap((group, i) =>
      ids(path.child('supplementalGroups').index(i), group, isValidGroupId),
    ),
  ];
  if (spec.shareProcessNamespace && spec.hostPID) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
    errors.push(invalid(path.child('shareProcessNamespace'), true, detail));
  }
  const recursiveOnly = options.allowOnlyRecursiveSELinuxChangePolicy;
  errors.push(
    ...validateSysctls(spec, path.child('sysctls'), options),
    ...policy(path.child('fsGroupChangePolicy'), context.fsGroupChangePolicy, ['Always', 'OnRootMismatch']),
    ...validateSeccompProfile(context.seccompProfile, path.child('seccompProfile')),
    ...validateWindowsSecurityContextOptions(context.windowsOptions, path.child('windowsOptions')),
    ...validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile')),
    ...policy(path.child('supplementalGroupsPolicy'), context.supplementalGroupsPolicy, ['Merge', 'Strict']),
    ...policy(
      path.child('seLinuxChangePolicy'),
      context.seLinuxChangePolicy,
      recursiveOnly ? ['Recursive'] : ['MountOption', 'Recursive'],
    ),
  );
  return errors;
}

/** `hostUsers`: the pod shares the host's user namespace. */
export function validateSecurityContext(
  context: SecurityContext | undefined,
  path: Path,
  hostUsers: boolean,
  { allowPrivileged }: Pick<PodValidationOptions, 'allowPrivileged'>,
): ErrorList {
  if (!context) return [];
  const { privileged, procMount } = context;
  const errors: ErrorList = [];
  if (privileged && !allowPrivileged) errors.push(forbidden(path.child('privileged'), 'disallowed by cluster policy'));
  errors.push(
    ...ids(path.child('runAsUser'), context.runAsUser, isValidUserId),
    ...ids(path.child('runAsGroup'), context.runAsGroup, isValidGroupId),
    ...policy(path.child('procMount'), procMount, ['Default', 'Unmasked']),
  );
  if (hostUsers && procMount === 'Unmasked')
    errors.push(invalid(path.child('procMount'), procMount, '`hostUsers` must be false to use `Unmasked`'));
  errors.push(...validateSeccompProfile(context.seccompProfile, path.child('seccompProfile')));
  if (context.allowPrivilegeEscalation === false) {
    const refuse = (what: string) => {
      const detail = `cannot set \`allowPrivilegeEscalation\` to false and ${what}`;
      errors.push(invalid(path, internalForm('SecurityContext', context), detail));
    };
    if (privileged) refuse('`privileged` to true');
    for (const capability of context.capabilities?.add ?? [])
      if (capability === 'CAP_SYS_ADMIN') refuse('`capabilities.Add` CAP_SYS_ADMIN');
  }
  errors.push(
    ...validateWindowsSecurityContextOptions(context.windowsOptions, path.child('windowsOptions')),
    ...validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile')),
  );
  return errors;
}
