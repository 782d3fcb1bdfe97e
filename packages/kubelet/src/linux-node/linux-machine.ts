import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { Container, Pod } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';
import type { Random } from '@coxswain/apimachinery/random';
import type { Mount, RuntimeService } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';
import type { PodCgroups } from '../cgroups/pod-cgroups.ts';
import { readFileInside } from '../files/read-file-inside.ts';
import { readTerminationMessage } from '../files/read-termination-message.ts';
import type { HookRunner } from '../hooks/hook-runner.ts';
import type { MachineImages } from '../images/machine-images.ts';
import type { ContainerLogManager } from '../logs/container-log-manager.ts';
import type { ContainerLogs } from '../logs/container-logs.ts';
import { makeLogSymlink } from '../logs/log-symlinks.ts';
import { podLogDirectory } from '../logs/pod-log-directory.ts';
import { restartCountByLogs } from '../logs/restart-count.ts';
import type { ContainerContext, Machine, MachineInfo } from '../machine/machine.ts';
import { hostNetworkHostsFile, podHostsFile } from '../network/hosts-file.ts';
import { podDns } from '../network/pod-dns.ts';
import { parseResolvConf, type ResolverConfiguration } from '../network/resolv-conf.ts';
import type { Prober } from '../probes/prober.ts';
import type { ContainerSetup } from '../runtime/container-setup.ts';
import type { PodSetup } from '../runtime/pod-setup.ts';
import { LinuxFigures } from '../stats/linux-figures.ts';
import type { NodeStatsSources } from '../stats/node-stats-sources.ts';
import { volumeStats } from '../stats/volume-stats.ts';
import { PodDirectories } from '../volumes/pod-directories.ts';
import type { VolumeManager } from '../volumes/volume-manager.ts';

/** The part of a node's configuration that `LinuxMachine` uses. */
interface LinuxMachineConfiguration {
  /** The kubelet's directory, such as `/var/lib/kubelet`. */
  readonly rootDirectory: string;
  /** The directory of all pods' logs, such as `/var/log/pods`. */
  readonly podLogsDirectory: string;
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  /** The file with the DNS configuration that pods inherit from the node. If undefined, they inherit none. */
  readonly resolvConf: string | undefined;
  /** The directory of symbolic links to the logs of containers, such as `/var/log/containers`. */
  readonly containerLogsDirectory: string;
  /** The node's hosts file, which pods in the node's network get as `/etc/hosts`. */
  readonly hostsFile: string;
  nodeIPs(): readonly string[];
}

export interface LinuxMachineOptions {
  readonly configuration: LinuxMachineConfiguration;
  readonly volumes: Pick<
    VolumeManager,
    'mount' | 'mountsOf' | 'pathOf' | 'observe' | 'supplementalGroups' | 'stats' | 'unmount' | 'remove'
  >;
  readonly cgroups: PodCgroups;
  readonly prober: Prober;
  readonly hooks: HookRunner;
  readonly logs: ContainerLogs;
  readonly logManager: Pick<ContainerLogManager, 'clean'>;
  readonly service: Pick<RuntimeService, 'containerStatus'>;
  readonly images: MachineImages;
  readonly random: Pick<Random, 'uuid'>;
  info(): Promise<MachineInfo>;
}

const etcHosts = '/etc/hosts';
const mostBytesOfVolumeFile = 2 ** 20;

/** Makes and removes what pods need on a Linux machine: directories, hosts files, resolver configurations, volumes and cgroups. */
export class LinuxMachine implements Machine {
  readonly prober: Prober;
  readonly hooks: HookRunner;
  readonly logs: ContainerLogs;
  readonly images: MachineImages;
  readonly directories: PodDirectories;
  readonly stats: NodeStatsSources;
  readonly #options: LinuxMachineOptions;

  constructor(options: LinuxMachineOptions) {
    this.#options = options;
    this.directories = new PodDirectories(options.configuration.rootDirectory);
    this.prober = options.prober;
    this.hooks = options.hooks;
    this.logs = options.logs;
    this.images = options.images;
    const { rootDirectory, podLogsDirectory } = options.configuration;
    this.stats = {
      figures: new LinuxFigures(),
      rootDirectory,
      logDirectory: (metadata, container) => `${podLogDirectory(podLogsDirectory, { metadata })}/${container}`,
      volumes: async (podUid) => (await options.volumes.stats(podUid)).map(volumeStats),
    };
  }

  info(): Promise<MachineInfo> {
    return this.#options.info();
  }

  async preparePod(pod: Pod, signal: AbortSignal): Promise<PodSetup> {
    const { configuration, cgroups } = this.#options;
    const { clusterDNS, clusterDomain, nodeIPs } = configuration;
    const uid = pod.metadata.uid ?? '';
    const cgroupParent = await cgroups.ensure(pod, signal);
    for (const part of ['volumes', 'plugins']) await makeDirectory(`${this.directories.pod(uid)}/${part}`, 0o750);
    const logDirectory = podLogDirectory(configuration.podLogsDirectory, pod);
    await makeDirectory(logDirectory, 0o755);
    const node = await this.#resolverConfiguration();
    const { config: dns, warnings } = podDns(pod, { clusterDNS, clusterDomain, node, nodeIPs: nodeIPs() });
    return { cgroupParent, logDirectory, dns, clusterDomain, warnings };
  }

  observe(pod: Pod): void {
    this.#options.volumes.observe(pod);
  }

  async mountVolumes(pod: Pod, signal: AbortSignal): Promise<readonly string[]> {
    return await this.#options.volumes.mount(pod, signal);
  }

  supplementalGroups(podUid: string): readonly number[] {
    return this.#options.volumes.supplementalGroups(podUid);
  }

  async prepareContainer(pod: Pod, container: Container, context: ContainerContext): Promise<ContainerSetup> {
    const mounts = [...(await this.#options.volumes.mountsOf(pod, container, context))];
    const hosts = await this.#hostsMount(pod, container, context.podIPs);
    if (hosts) mounts.push(hosts);
    const terminationLog = await this.#terminationLogMount(pod, container);
    if (terminationLog) mounts.push(terminationLog);
    await makeDirectory(
      `${podLogDirectory(this.#options.configuration.podLogsDirectory, pod)}/${container.name}`,
      0o755,
    );
    return { mounts, devices: [], annotations: {} };
  }

  async containerStarted({ metadata }: Pod, { name }: Container, id: string): Promise<void> {
    const { service, configuration } = this.#options;
    const { status } = await service.containerStatus({ containerId: id });
    const container = { id, name, podName: metadata.name ?? '', podNamespace: metadata.namespace ?? '' };
    await makeLogSymlink(configuration.containerLogsDirectory, container, status?.logPath ?? '');
  }

  async removingContainer(containerId: string): Promise<void> {
    await this.#options.logManager.clean(containerId);
  }

  async resizePod(pod: Pod, signal: AbortSignal): Promise<void> {
    await this.#options.cgroups.update(pod, signal);
  }

  async releasePod(pod: Pod, signal: AbortSignal): Promise<void> {
    const { volumes, cgroups } = this.#options;
    await volumes.unmount(pod, signal);
    await cgroups.remove(pod.metadata.uid ?? '', signal);
  }

  async podUids(): Promise<readonly string[]> {
    const { cgroups } = this.#options;
    const names = await readdir(this.directories.pods).catch(() => []);
    // A kubelet that was killed may have made the cgroup of a pod, but not its directory.
    return [...new Set([...names, ...(await cgroups.podUids())])];
  }

  async removePod(podUid: string): Promise<void> {
    const { configuration, volumes, cgroups } = this.#options;
    await cgroups.remove(podUid);
    const { podLogsDirectory } = configuration;
    const logs = await readdir(podLogsDirectory).catch(() => []);
    for (const name of logs.filter((each) => each.endsWith(`_${podUid}`))) {
      await rm(`${podLogsDirectory}/${name}`, { recursive: true, force: true });
    }
    // Last, because the next kubelet finds the pod by its directory if this one is killed before.
    await volumes.remove(podUid);
  }

  terminationMessage(path: string): Promise<string | undefined> {
    return readTerminationMessage(path);
  }

  async restartCountOf(pod: Pod, container: string): Promise<number> {
    return await restartCountByLogs(
      `${podLogDirectory(this.#options.configuration.podLogsDirectory, pod)}/${container}`,
    );
  }

  async readVolumeFile(pod: Pod, volume: string, path: string): Promise<string> {
    const directory = this.#options.volumes.pathOf(pod.metadata.uid ?? '', volume);
    if (!directory) throw new Error(`cannot find the volume ${quote(volume)} referenced by FileKeyRef`);
    return await readFileInside(directory, path, mostBytesOfVolumeFile);
  }

  /** Throws for pods with `hostUsers: false`: user namespaces are not supported, so root of such a pod would be root of the node. */
  checkUserNamespace({ spec }: Pod, runtimeHandler: string): void {
    if (spec?.hostUsers !== false) return;
    const who = runtimeHandler === '' ? 'runtime' : `RuntimeClass handler ${quote(runtimeHandler)}`;
    throw new Error(`can't set \`spec.hostUsers: false\`, ${who} does not support user namespaces`);
  }

  async #resolverConfiguration(): Promise<ResolverConfiguration | undefined> {
    const { resolvConf } = this.#options.configuration;
    return resolvConf === undefined ? undefined : parseResolvConf(await readFile(resolvConf, 'utf8'));
  }

  /** Writes the pod's hosts file. Returns undefined if the container mounts its own `/etc/hosts`, or if the pod has no IP addresses. */
  async #hostsMount(pod: Pod, container: Container, podIPs: readonly string[]): Promise<Init<Mount> | undefined> {
    const { clusterDomain, hostsFile } = this.#options.configuration;
    if (podIPs.length === 0 || container.volumeMounts?.some(({ mountPath }) => mountPath === etcHosts))
      return undefined;
    const content = pod.spec?.hostNetwork
      ? hostNetworkHostsFile(pod, await readFile(hostsFile, 'utf8'))
      : podHostsFile(pod, podIPs, clusterDomain);
    const hostPath = this.directories.hostsFile(pod.metadata.uid ?? '');
    await writeFile(hostPath, content, { mode: 0o644 });
    await chmod(hostPath, 0o644);
    return { hostPath, containerPath: etcHosts };
  }

  /** Creates the file for the termination message of one run of the container. Returns undefined if the container has no path for it. */
  async #terminationLogMount(pod: Pod, container: Container): Promise<Init<Mount> | undefined> {
    if (!container.terminationMessagePath) return undefined;
    const directory = this.directories.container(pod.metadata.uid ?? '', container.name);
    await makeDirectory(directory, 0o750);
    const hostPath = `${directory}/${this.#options.random.uuid().slice(0, 8)}`;
    await writeFile(hostPath, '', { flag: 'wx' });
    // The container may run as any user.
    await chmod(hostPath, 0o666);
    return { hostPath, containerPath: container.terminationMessagePath };
  }
}

async function makeDirectory(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true, mode });
}
