/** The rules of the Pod Security Standards, as a table of pure functions. */
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

/** All of them, in the order in which messages list what they find. */
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
