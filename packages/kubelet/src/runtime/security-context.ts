import type { Container, Pod, SeccompProfile, SecurityContext } from '@coxswain/api/core/v1';
import type {
  LinuxContainerSecurityContext,
  LinuxSandboxSecurityContext,
  NamespaceOption,
  SecurityProfile,
  SupplementalGroupsPolicy,
} from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';
import { allContainers } from '../pods/all-containers.ts';
import { namespaceOptions } from './namespaces.ts';
import type { RuntimeSettings } from './runtime-settings.ts';

/** The user of an image. At most one of the two fields is set. */
export interface ImageUser {
  readonly uid?: number | undefined;
  readonly username?: string | undefined;
}

const runtimeDefault = { profileType: 'RuntimeDefault' } as const;
const unconfined = { profileType: 'Unconfined' } as const;

/** Paths that containers cannot read: they would disclose other processes' data or control the machine. */
const maskedPaths = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];
const readonlyPaths = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

/** Returns the security context of a pod's sandbox. It runs no user code, so its seccomp profile is always the runtime's default. */
export function sandboxSecurityContext(pod: Pod, groups: readonly number[]): Init<LinuxSandboxSecurityContext> {
  const { seLinuxOptions, runAsUser, runAsGroup } = pod.spec?.securityContext ?? {};
  return {
    privileged: allContainers(pod).some(({ securityContext }) => securityContext?.privileged),
    seccomp: runtimeDefault,
    namespaceOptions: namespaceOptions(pod),
    ...(runAsUser !== undefined && { runAsUser: { value: Number(runAsUser) } }),
    ...(runAsGroup !== undefined && { runAsGroup: { value: Number(runAsGroup) } }),
    ...groupsOf(pod, groups),
    ...(seLinuxOptions && { selinuxOptions: seLinuxOptions }),
  };
}

/** Returns a container's security context. Throws if a localhost profile has no name. */
export function containerSecurityContext(
  pod: Pod,
  container: Container,
  image: ImageUser,
  groups: readonly number[],
  settings: RuntimeSettings,
): Init<LinuxContainerSecurityContext> {
  const context = effectiveSecurityContext(pod, container);
  const { capabilities, seLinuxOptions, runAsUser, runAsGroup, procMount } = context;
  const isUnmasked = procMount === 'Unmasked';
  const apparmor = appArmorProfile(pod, container);
  return {
    ...(capabilities && {
      capabilities: { addCapabilities: capabilities.add ?? [], dropCapabilities: capabilities.drop ?? [] },
    }),
    privileged: context.privileged ?? false,
    readonlyRootfs: context.readOnlyRootFilesystem ?? false,
    noNewPrivs: context.allowPrivilegeEscalation === false,
    namespaceOptions: namespaceOptions(pod) satisfies Init<NamespaceOption>,
    ...(seLinuxOptions && { selinuxOptions: seLinuxOptions }),
    ...(runAsUser === undefined ? userOf(image) : { runAsUser: { value: Number(runAsUser) } }),
    ...(runAsGroup !== undefined && { runAsGroup: { value: Number(runAsGroup) } }),
    ...groupsOf(pod, groups),
    maskedPaths: isUnmasked ? [] : maskedPaths,
    readonlyPaths: isUnmasked ? [] : readonlyPaths,
    seccomp: seccompProfile(context.seccompProfile, settings),
    ...(apparmor && { apparmor: apparmor.profile, apparmorProfile: apparmor.deprecated }),
  };
}

/** Returns the container's security context, with the pod's values for fields that the container does not set. */
export function effectiveSecurityContext(pod: Pod, { securityContext }: Container): SecurityContext {
  const { seLinuxOptions, windowsOptions, runAsUser, runAsGroup, runAsNonRoot, seccompProfile, appArmorProfile } =
    pod.spec?.securityContext ?? {};
  return {
    ...{ seLinuxOptions, windowsOptions, runAsUser, runAsGroup, runAsNonRoot, seccompProfile, appArmorProfile },
    ...securityContext,
  } as SecurityContext;
}

const userOf = ({ uid, username }: ImageUser) => ({
  ...(uid !== undefined && { runAsUser: { value: uid } }),
  ...(username && { runAsUsername: username }),
});

function groupsOf({ spec }: Pod, ofVolumes: readonly number[]) {
  const { fsGroup, supplementalGroups, supplementalGroupsPolicy } = spec?.securityContext ?? {};
  return {
    supplementalGroups: [
      ...(fsGroup === undefined ? [] : [Number(fsGroup)]),
      ...(supplementalGroups ?? []).map(Number),
      ...ofVolumes,
    ],
    ...(supplementalGroupsPolicy && { supplementalGroupsPolicy: supplementalGroupsPolicy as SupplementalGroupsPolicy }),
  };
}

function seccompProfile(profile: SeccompProfile | undefined, settings: RuntimeSettings): Init<SecurityProfile> {
  if (!profile) return settings.seccompDefault ? runtimeDefault : unconfined;
  if (profile.type === 'RuntimeDefault') return runtimeDefault;
  if (profile.type !== 'Localhost') return unconfined;
  if (!profile.localhostProfile) {
    throw new Error('localhostProfile must be set if seccompProfile type is Localhost.');
  }
  return { profileType: 'Localhost', localhostRef: `${settings.seccompProfileRoot}/${profile.localhostProfile}` };
}

/** Returns the AppArmor profile. `deprecated` is the same profile in the format of older runtimes. */
function appArmorProfile(pod: Pod, container: Container) {
  const profile = effectiveSecurityContext(pod, container).appArmorProfile;
  switch (profile?.type) {
    case undefined:
      return undefined;
    case 'RuntimeDefault':
      return { profile: runtimeDefault, deprecated: 'runtime/default' };
    case 'Unconfined':
      return { profile: unconfined, deprecated: 'unconfined' };
    default: {
      if (!profile!.localhostProfile) throw new Error('missing localhost apparmor profile name');
      const localhostRef = profile!.localhostProfile;
      return { profile: { profileType: 'Localhost', localhostRef } as const, deprecated: `localhost/${localhostRef}` };
    }
  }
}
