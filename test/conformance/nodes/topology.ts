import { join } from 'node:path';

/** The names by which everything is found again that a set of nodes has on the machine. */
export interface Names {
  /** Begins the names of cgroups, network namespaces and network interfaces. */
  readonly prefix: string;
  /** The directory of everything that nodes write. */
  readonly state: string;
}

export const nodeNames: Names = { prefix: 'coxn-', state: '/var/lib/coxswain-nodes' };

export const namePrefix = nodeNames.prefix;
export const stateDirectory = nodeNames.state;

/** The bridge that connects the machine with the nodes. */
export const bridge = `${namePrefix}br0`;

/** The machine's own address on the bridge: the API server's and the registry's. */
export const hostAddress = '10.200.0.1';

export const registryPort = 5000;

/** Addresses of pods on all nodes. */
export const clusterCIDR = '10.244.0.0/16';

/** Addresses of services, as `cox apiserver` assigns them by default. */
const serviceCIDR = '10.96.0.0/16';

export const dnsAddress = '10.96.0.10';

/** One node: a network namespace at the bridge, and a mount namespace with its own directories. */
export interface NodePlan {
  /** The name in Kubernetes. */
  readonly name: string;
  readonly address: string;
  readonly podCIDR: string;
  /** The network namespace's name. */
  readonly netns: string;
  /** The bridge's end of the connection; the node's end is eth0. */
  readonly veth: string;
  /** The cgroup below which everything of the node is, with a slash at the beginning. */
  readonly cgroup: string;
  /** Its directory. */
  readonly directory: string;
}

/** Returns the plans of nodes 1 to `count`. Throws when there are fewer than one or more than 100. */
export function planNodes(count: number): NodePlan[] {
  if (!Number.isInteger(count) || count < 1 || count > 100) throw new Error(`${count} nodes are not possible`);
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const name = `node${number}`;
    return {
      name,
      address: `10.200.0.${10 + number}`,
      podCIDR: `10.244.${number}.0/24`,
      netns: `${namePrefix}${name}`,
      veth: `${namePrefix}v${number}`,
      cgroup: `/${namePrefix}${name}`,
      directory: join(stateDirectory, name),
    };
  });
}

/** The directories that each node has for itself, by where they are mounted. All are in `ownTmpfs`. */
export const ownDirectories = {
  kubelet: '/var/lib/kubelet',
  containerd: '/var/lib/containerd',
  'cni-networks': '/var/lib/cni-networks',
  'cni-state': '/var/lib/cni',
  'pod-logs': '/var/log/pods',
  'container-logs': '/var/log/containers',
} as const;

/** Directories of the machine that are a tmpfs in each node. */
export const ownTmpfs: readonly string[] = ['/run', '/var/lib', '/var/log'];

/** Where each node's containerd has its socket and state. */
export const runtimeDirectory = '/run/containerd';

/** Returns the commands that connect the nodes, as arguments of `ip` and `sysctl`, in order. */
export function networkCommands(nodes: readonly NodePlan[]): string[][] {
  const [first] = nodes;
  return [
    ['ip', 'link', 'add', bridge, 'type', 'bridge'],
    ['ip', 'address', 'add', `${hostAddress}/24`, 'dev', bridge],
    ['ip', 'link', 'set', bridge, 'up'],
    ...nodes.flatMap((node) => connect(node, nodes)),
    ...nodes.map(({ podCIDR, address }) => ['ip', 'route', 'add', podCIDR, 'via', address]),
    // The API server calls webhooks and other API servers by the addresses of their services.
    ...(first ? [['ip', 'route', 'add', serviceCIDR, 'via', first.address]] : []),
  ];
}

function connect(node: NodePlan, nodes: readonly NodePlan[]): string[][] {
  const { netns, veth, address } = node;
  const inside = ['nsenter', `--net=/run/netns/${netns}`];
  const others = nodes.filter(({ name }) => name !== node.name);
  return [
    ['ip', 'netns', 'add', netns],
    ['ip', 'link', 'add', veth, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', netns],
    ['ip', 'link', 'set', veth, 'master', bridge, 'up'],
    ...[
      ['ip', 'link', 'set', 'lo', 'up'],
      ['ip', 'address', 'add', `${address}/24`, 'dev', 'eth0'],
      ['ip', 'link', 'set', 'eth0', 'up'],
      ['ip', 'route', 'add', 'default', 'via', hostAddress],
      ...others.map((other) => ['ip', 'route', 'add', other.podCIDR, 'via', other.address]),
      // A packet from the machine to a service may leave by the interface that it came from.
      ...['net.ipv4.ip_forward=1', 'net.ipv4.conf.all.send_redirects=0', 'net.ipv4.conf.eth0.send_redirects=0'].map(
        (setting) => ['sysctl', '-q', '-w', setting],
      ),
      ['sysctl', '-q', '-w', 'net.ipv4.conf.all.rp_filter=0'],
      ['sysctl', '-q', '-w', 'net.ipv4.conf.eth0.rp_filter=0'],
    ].map((command) => [...inside, ...command]),
  ];
}
