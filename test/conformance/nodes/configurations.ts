import { dirname, join } from 'node:path';
import { pauseImage } from '../images/recipes.ts';
import type { ContainerdKind } from './containerd-kind.ts';
import {
  clusterCIDR,
  dnsAddress,
  hostAddress,
  type NodePlan,
  ownDirectories,
  ownTmpfs,
  registryPort,
  runtimeDirectory,
  stateDirectory,
} from './topology.ts';

export const runtimeSocket = `${runtimeDirectory}/containerd.sock`;

/** The directory of `hosts.toml` files, by registry. */
export const registryHosts = join(stateDirectory, 'registries');

const pluginDirectory = '/usr/lib/cni';

/** `hosts.toml` for all registries: everything is pulled from ours, and nothing from elsewhere. */
export const hostsToml = (): string => `server = "http://${hostAddress}:${registryPort}"

[host."http://${hostAddress}:${registryPort}"]
  capabilities = ["pull", "resolve"]
`;

/** containerd's configuration. */
export function containerdConfiguration(kind: ContainerdKind): string {
  const common = `root = "/var/lib/containerd"
state = "${runtimeDirectory}"
oom_score = 0

[grpc]
  address = "${runtimeSocket}"
`;
  const runtime = `restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  enable_unprivileged_ports = true
  enable_unprivileged_icmp = true
`;
  // Both have the name of the plug-in before their tables; everything else is a table of it.
  if (kind === 'debian') {
    const cri = 'plugins."io.containerd.grpc.v1.cri"';
    return `version = 2
${common}
[${cri}]
  sandbox_image = "${pauseImage}"
  stream_server_address = "127.0.0.1"
  ${runtime}
[${cri}.cni]
  bin_dir = "${pluginDirectory}"
  conf_dir = "${ownDirectories['cni-networks']}"
[${cri}.registry]
  config_path = "${registryHosts}"
[${cri}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.internal.v1.opt"]
  path = "/var/lib/containerd/opt"
`;
  }
  const cri = 'plugins."io.containerd.cri.v1.runtime"';
  const images = 'plugins."io.containerd.cri.v1.images"';
  return `version = 3
${common}
[plugins."io.containerd.grpc.v1.cri"]
  stream_server_address = "127.0.0.1"

[${images}.pinned_images]
  sandbox = "${pauseImage}"
[${images}.registry]
  config_path = "${registryHosts}"

[${cri}]
  ${runtime}
[${cri}.cni]
  bin_dirs = ["${pluginDirectory}"]
  conf_dir = "${ownDirectories['cni-networks']}"
[${cri}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.internal.v1.opt"]
  path = "/var/lib/containerd/opt"
[plugins."io.containerd.nri.v1.nri"]
  disable = true
`;
}

/** The network of a node's pods: a bridge with the node's range of addresses, and host ports. */
export function cniConfiguration({ podCIDR }: NodePlan): object {
  return {
    cniVersion: '0.4.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        hairpinMode: true,
        ipMasq: false,
        ipam: { type: 'host-local', ranges: [[{ subnet: podCIDR }]], routes: [{ dst: '0.0.0.0/0' }] },
      },
      { type: 'portmap', capabilities: { portMappings: true }, snat: true },
    ],
  };
}

/** The files that a node's configurations name. */
export interface NodeFiles {
  readonly clientCA: string;
  readonly resolvConf: string;
}

/** A KubeletConfiguration. JSON is YAML too. */
export function kubeletConfiguration(node: NodePlan, { clientCA, resolvConf }: NodeFiles): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: clientCA } },
    authorization: { mode: 'Webhook' },
    containerRuntimeEndpoint: `unix://${runtimeSocket}`,
    clusterDNS: [dnsAddress],
    clusterDomain: 'cluster.local',
    resolvConf,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: node.cgroup,
    failCgroupV1: false,
    failSwapOn: false,
    oomScoreAdj: 0,
    serializeImagePulls: false,
    volumePluginDir: '/var/lib/kubelet/volume-plugins',
    // The machine's disk is not the node's own: how full it is must not decide about pods and images.
    imageGCHighThresholdPercent: 100,
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
  };
}

/** A KubeProxyConfiguration. */
export function proxyConfiguration(node: NodePlan, kubeconfig: string): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'iptables',
    hostnameOverride: node.name,
    clusterCIDR,
    clientConnection: { kubeconfig },
    oomScoreAdj: 0,
    // These settings belong to the whole machine.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
}

/** What a kubeconfig says about the API server. */
export interface ServerAddress {
  readonly server: string;
  /** The authorities of its certificate, in base64. */
  readonly caData: string;
}

/** A kubeconfig with a client certificate. */
export function kubeconfigOf({ server, caData }: ServerAddress, client: { cert: string; key: string }): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'cluster', cluster: { server, 'certificate-authority-data': caData } }],
    users: [{ name: 'user', user: { 'client-certificate': client.cert, 'client-key': client.key } }],
    contexts: [{ name: 'context', context: { cluster: 'cluster', user: 'user' } }],
    'current-context': 'context',
  };
}

/**
 * The script that makes a node's mount namespace and then runs its arguments. Everything is mounted in file systems of the node's own: a mount
 * on a directory of the machine ends when somebody removes that directory, in every namespace.
 */
export function mountScript({ directory }: Pick<NodePlan, 'directory'>): string {
  const state = dirname(directory);
  return [
    'set -e',
    // From here it can be mounted after a tmpfs has hidden it.
    `cd ${state}`,
    ...ownTmpfs.map((path) => `mount -t tmpfs -o mode=755 tmpfs ${path}`),
    `mkdir -p ${state} ${Object.values(ownDirectories).join(' ')}`,
    `mkdir -m 711 ${runtimeDirectory}`,
    // As an absolute path, the dot would be the new and empty directory.
    `mount --no-canonicalize --bind . ${state}`,
    ...Object.entries(ownDirectories).map(([name, target]) => `mount --bind ${join(directory, name)} ${target}`),
    'cd /',
    // Only this namespace's own: mounts of pods are propagated to containers, and nothing to the machine.
    'mount --make-rshared /',
    'exec "$@"',
  ].join('\n');
}

/** The names of iptables' programs, all links to the one of the legacy back end, which kube-proxy and CNI plug-ins find first. */
export const iptablesPrograms = ['iptables', 'ip6tables'].flatMap((name) => [name, `${name}-save`, `${name}-restore`]);

export const legacyIptables = '/usr/sbin/xtables-legacy-multi';
