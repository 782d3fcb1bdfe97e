/** The checks of the Pod Security Standards, as pure functions. */
import { appArmorProfile } from './app-armor.ts';
import { capabilitiesBaseline, capabilitiesRestricted } from './capabilities.ts';
import type { Check } from './check.ts';
import { hostNamespaces, hostPorts, hostProbesAndHostLifecycle, windowsHostProcess } from './host.ts';
import { allowPrivilegeEscalation, privileged } from './privileges.ts';
import { procMountBaseline, procMountRestricted } from './proc-mount.ts';
import { runAsNonRoot, runAsUser } from './run-as.ts';
import { seLinuxOptions } from './se-linux.ts';
import { seccompProfileBaseline, seccompProfileRestricted } from './seccomp.ts';
import { sysctls } from './sysctls.ts';
import { hostPathVolumes, restrictedVolumes } from './volumes.ts';

export type { CheckPod, PodLike, Violation } from './check.ts';

/** All checks, in the order of messages. */
export const checks: readonly Check[] = [
  appArmorProfile,
  capabilitiesBaseline,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbesAndHostLifecycle,
  privileged,
  procMountBaseline,
  seLinuxOptions,
  seccompProfileBaseline,
  sysctls,
  windowsHostProcess,
  allowPrivilegeEscalation,
  capabilitiesRestricted,
  procMountRestricted,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompProfileRestricted,
];
