import type { ContainerConfig, LinuxContainerSecurityContext } from '@coxswain/cri';
import { LinuxContainerSecurityContext as securityContext } from '@coxswain/cri';
import type { ImageConfiguration } from '../images/image-configuration.ts';
import { containerCapabilities } from './capabilities.ts';
import type { ContainerMounts } from './container-mounts.ts';
import type { ContainerUser } from './container-user.ts';
import type { ContainerDevices } from './linux-devices.ts';
import { type CgroupAbilities, linuxResources } from './linux-resources.ts';
import type { LinuxNamespace, OciProcess, OciSpec } from './oci-spec.ts';
import { appArmorProfile, type SecurityModules, seccompProfile, selinuxLabel } from './security-profiles.ts';

/** The same for all containers of a machine. */
export interface NodeFacts {
  readonly architecture: string;
  readonly capabilities: readonly string[];
  readonly cgroups: CgroupAbilities;
  readonly security: SecurityModules;
  /** The lowest that this process may give; undefined if it may give any. */
  readonly lowestOomScoreAdj: number | undefined;
}

export interface ContainerSpecRequest {
  readonly config: ContainerConfig;
  readonly image: ImageConfiguration;
  readonly hostname: string;
  readonly rootPath: string;
  readonly user: ContainerUser;
  readonly mounts: ContainerMounts;
  readonly devices: ContainerDevices;
  readonly namespaces: readonly LinuxNamespace[];
  readonly cgroupsPath: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly node: NodeFacts;
}

const ociVersion = '1.0.2';
const defaultPath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Writes the OCI configuration of a container. Rejects if its security profiles or limits cannot be had here. */
export async function containerSpec(request: ContainerSpecRequest): Promise<OciSpec> {
  const { config, mounts, devices, node, namespaces } = request;
  const security = securityOf(config);
  const process = await processOf(request, security);
  const profile = await seccompProfile(security, process.capabilities.bounding, node.architecture);
  const { rootfsPropagation } = mounts;
  const isPrivileged = security.privileged;
  return {
    ociVersion,
    process,
    root: { path: request.rootPath, readonly: security.readonlyRootfs },
    mounts: mounts.mounts,
    annotations: request.annotations,
    linux: {
      namespaces: [
        { type: 'mount' },
        ...(node.cgroups.version === 2 && !isPrivileged ? [{ type: 'cgroup' as const }] : []),
        ...namespaces,
      ],
      cgroupsPath: request.cgroupsPath,
      resources: { ...linuxResources(config.linux?.resources, node.cgroups), devices: devices.rules },
      devices: devices.devices,
      maskedPaths: isPrivileged ? [] : security.maskedPaths,
      readonlyPaths: isPrivileged ? [] : security.readonlyPaths,
      ...(rootfsPropagation && { rootfsPropagation }),
      ...(profile && { seccomp: profile }),
      ...(process.selinuxLabel !== undefined && {
        mountLabel: process.selinuxLabel.replace(/:container_t:/, ':container_file_t:'),
      }),
    },
  };
}

/** The security context of a container, complete. */
export const securityOf = ({ linux }: ContainerConfig): LinuxContainerSecurityContext =>
  linux?.securityContext ?? securityContext.complete({});

async function processOf(request: ContainerSpecRequest, security: LinuxContainerSecurityContext): Promise<OciProcess> {
  const { config, image, hostname, user, node } = request;
  const apparmorProfile = await appArmorProfile(security, node.security.appArmor);
  const label = selinuxLabel(security.selinuxOptions, node.security);
  const oomScoreAdj = config.linux?.resources?.oomScoreAdj;
  return {
    terminal: config.tty,
    user,
    args: commandOf(config, image),
    env: environmentOf(config, image, hostname),
    cwd: config.workingDir || image.config.WorkingDir || '/',
    capabilities: containerCapabilities(security.capabilities, security.privileged, node.capabilities),
    noNewPrivileges: security.noNewPrivs,
    ...(oomScoreAdj !== undefined && { oomScoreAdj: Math.max(oomScoreAdj, node.lowestOomScoreAdj ?? -1000) }),
    ...(apparmorProfile !== undefined && { apparmorProfile }),
    ...(label !== undefined && { selinuxLabel: label }),
  };
}

/** `command` replaces the image's entry point and drops its arguments; `args` replaces the arguments. */
function commandOf({ command, args }: ContainerConfig, { config }: ImageConfiguration): string[] {
  const entrypoint =
    command.length > 0
      ? command
      : (config.Entrypoint ?? []).length === 1 && config.Entrypoint?.[0] === ''
        ? []
        : (config.Entrypoint ?? []);
  const rest = command.length === 0 && args.length === 0 ? (config.Cmd ?? []) : args;
  const words = [...entrypoint, ...rest];
  if (words.length === 0) throw new Error('no command specified');
  return words;
}

/** Later values of a name win, at the place of the first. */
function environmentOf({ envs, tty }: ContainerConfig, { config }: ImageConfiguration, hostname: string): string[] {
  const own = envs.map(({ key, value }) => `${key}=${Buffer.from(value).toString()}`);
  const all = [defaultPath, ...(tty ? ['TERM=xterm'] : []), `HOSTNAME=${hostname}`, ...(config.Env ?? []), ...own];
  const byName = new Map<string, string>();
  for (const entry of all) byName.set(entry.split('=', 1)[0] ?? '', entry);
  return [...byName.values()];
}
