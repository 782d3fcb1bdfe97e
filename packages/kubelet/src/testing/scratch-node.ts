import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { type CgroupManager, findCgroups, newCgroupName, readMountInfo } from '@coxswain/linux';
import { noteMachine, restoreMachine } from './machine-changes.ts';

const run = promisify(execFile);

export interface ScratchNodeOptions {
  readonly name: string;
  /** For all files of the node. It is made. Its last part, which must not be used on this machine, is also the name of the node's cgroup. */
  readonly directory: string;
  /** Socket of the container runtime. */
  readonly runtimeEndpoint: string;
  /** Of the kubelet's server. */
  readonly port: number;
  /** The authorities of the clients of that server, in PEM. */
  readonly clientCA: string;
  readonly kubeconfig: string;
  /** The kubelet requests its certificate with it, and writes `kubeconfig`. */
  readonly bootstrapKubeconfig?: string;
  /** Further fields of the KubeletConfiguration. */
  readonly configuration?: Readonly<Record<string, unknown>>;
}

/** A node on this machine for a kubelet that somebody else starts and stops. */
export class ScratchNode {
  /** The kubelet's flags; both `cox kubelet` and upstream's kubelet accept them. */
  readonly flags: readonly string[];
  /** The directory of manifests of static pods. */
  readonly manifests: string;
  readonly #directory: string;
  readonly #cgroups: CgroupManager;

  private constructor(flags: readonly string[], directory: string, cgroups: CgroupManager) {
    this.flags = flags;
    this.manifests = manifestsIn(directory);
    this.#directory = directory;
    this.#cgroups = cgroups;
  }

  /** Creates directories, configuration and cgroup. Rejects, and leaves nothing, if that is impossible. */
  static async create(options: ScratchNodeOptions): Promise<ScratchNode> {
    const { name, directory, kubeconfig, bootstrapKubeconfig } = options;
    const cgroups = await findCgroups({ driver: 'cgroupfs' });
    const flags = [
      `--config=${join(directory, 'kubelet.json')}`,
      `--root-dir=${join(directory, 'kubelet')}`,
      `--cert-dir=${join(directory, 'pki')}`,
      `--hostname-override=${name}`,
      `--kubeconfig=${kubeconfig}`,
      ...(bootstrapKubeconfig === undefined ? [] : [`--bootstrap-kubeconfig=${bootstrapKubeconfig}`]),
    ];
    const node = new ScratchNode(flags, directory, cgroups);
    try {
      await mkdir(manifestsIn(directory), { recursive: true });
      await noteMachine(notesIn(directory));
      await writeFile(join(directory, 'resolv.conf'), 'nameserver 192.0.2.1\n');
      await writeFile(clientCAIn(directory), options.clientCA);
      await writeFile(join(directory, 'kubelet.json'), JSON.stringify(configurationOf(options, cgroups)));
      await cgroups.create(cgroupOf(directory), {});
    } catch (error) {
      await node.remove();
      throw error;
    }
    return node;
  }

  /** Takes everything back. The kubelet must have ended; its containers, if any are left, are killed. */
  async remove(): Promise<void> {
    const directory = this.#directory;
    await this.#cgroups.destroy(cgroupOf(directory));
    const mounts = await readMountInfo('/proc');
    // With cgroup v1, runc makes cgroups of version 2 as well where that is mounted.
    for (const { mountPoint } of mounts.filter(({ type }) => type === 'cgroup2')) {
      await removeCgroups(join(mountPoint, basename(directory)));
    }
    const below = mounts.map(({ mountPoint }) => mountPoint).filter((path) => path.startsWith(`${directory}/`));
    for (const path of below.reverse()) await run('umount', ['-l', path]);
    await restoreMachine(notesIn(directory), directory);
    await rm(directory, { recursive: true, force: true });
  }
}

async function removeCgroups(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeCgroups(join(path, entry.name));
  await rmdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

const manifestsIn = (directory: string): string => join(directory, 'manifests');
const clientCAIn = (directory: string): string => join(directory, 'clients.crt');
const notesIn = (directory: string): string => join(directory, 'machine.json');
const cgroupOf = (directory: string) => newCgroupName([], basename(directory));

/** A KubeletConfiguration. JSON is YAML too. */
function configurationOf(
  { directory, runtimeEndpoint, port, configuration }: ScratchNodeOptions,
  cgroups: CgroupManager,
): object {
  const x509 = { clientCAFile: clientCAIn(directory) };
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509 },
    authorization: { mode: 'Webhook' },
    containerRuntimeEndpoint: runtimeEndpoint,
    port,
    healthzPort: 0,
    staticPodPath: manifestsIn(directory),
    podLogsDir: join(directory, 'logs'),
    volumePluginDir: join(directory, 'volume-plugins'),
    resolvConf: join(directory, 'resolv.conf'),
    clusterDNS: ['10.96.0.10'],
    clusterDomain: 'cluster.local',
    cgroupDriver: 'cgroupfs',
    cgroupRoot: cgroups.path(cgroupOf(directory)),
    failCgroupV1: false,
    failSwapOn: false,
    oomScoreAdj: 0,
    makeIPTablesUtilChains: false,
    // The machine's disk is not the node's own: how full it is must not decide about pods and images.
    imageGCHighThresholdPercent: 100,
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    ...configuration,
  };
}
