import type { Commands } from '@coxswain/linux';
import { type AddressRange, familyOf } from '../addresses/index.ts';
import type { Bandwidth } from '../bandwidth/bandwidth.ts';
import { runProgram } from '../programs/index.ts';
import { enableForwarding } from './forwarding.ts';
import { hardwareAddress, linkName } from './link-names.ts';

export interface BridgeLinkOptions {
  readonly commands: Commands;
  /** The interface of the bridge. */
  readonly bridge: string;
  /** The name of the network, for names and tags. */
  readonly network: string;
}

export interface CableRequest {
  readonly id: string;
  readonly netns: string;
  readonly ips: readonly string[];
  /** The range of each address. */
  readonly ranges: readonly AddressRange[];
  readonly bandwidth?: Bandwidth | undefined;
}

/** The bridge of a node, and the cables (pairs of virtual interfaces) between it and pods, by iproute2. */
export class BridgeLink {
  readonly #options: BridgeLinkOptions;

  constructor(options: BridgeLinkOptions) {
    this.#options = options;
  }

  /** Makes the bridge, gives it the gateways' addresses, and lets the node forward packets. What is right already stays. */
  async make(ranges: readonly AddressRange[], signal?: AbortSignal): Promise<void> {
    const { bridge, network, commands } = this.#options;
    await enableForwarding(commands, ranges, signal);
    const gateways = ranges.map((range) => `${range.gateway}/${range.prefixLength}`);
    const mac = hardwareAddress(ranges[0]?.gateway ?? '0.0.0.0');
    await runProgram(commands, ['sh', '-c', makeBridge, 'sh', bridge, mac, `coxswain:${network}`, ...gateways], signal);
  }

  /** Connects a pod. What an interrupted call for it has made is removed first. */
  async connect({ id, netns, ips, ranges, bandwidth }: CableRequest, signal?: AbortSignal): Promise<void> {
    const { bridge, network, commands } = this.#options;
    const name = linkName(network, id);
    const hasIPv6 = ips.some((ip) => familyOf(ip) === 'ipv6');
    const outside = [
      `link add name ${name} master ${bridge} up type veth peer name eth0 address ${hardwareAddress(ips[0] ?? '')} netns "${netns}"`,
      `link set dev ${name} alias coxswain:${network}:${id} type bridge_slave hairpin on`,
    ];
    const inside = [
      ...ips.map(
        (ip, i) => `address add ${ip}/${ranges[i]!.prefixLength} dev eth0${familyOf(ip) === 'ipv6' ? ' nodad' : ''}`,
      ),
      'link set dev eth0 up',
      ...ranges.map((range) => `route add default via ${range.gateway} dev eth0`),
    ];
    const lines = (list: readonly string[]): string => list.map((line) => `${line}\n`).join('');
    const argv = ['sh', '-c', connectPod, 'sh', name, netns, lines(outside), lines(inside), hasIPv6 ? 'ipv6' : ''];
    await runProgram(commands, argv, signal);
    // Each direction is limited where it leaves an interface.
    const { ingressRate, egressRate } = bandwidth ?? {};
    if (ingressRate !== undefined) await runProgram(commands, limit(name, ingressRate), signal);
    if (egressRate !== undefined) {
      await runProgram(commands, ['nsenter', `--net=${netns}`, '--', ...limit('eth0', egressRate)], signal);
    }
  }

  /** Removes the cable of a pod. Succeeds if there is none. */
  async disconnect(id: string): Promise<void> {
    const { network, commands } = this.#options;
    await removeLink(commands, linkName(network, id));
  }

  /** The node's ends of all cables of this network, by their tags: the id of each pod. */
  async cables(): Promise<ReadonlyMap<string, string>> {
    const { commands, network } = this.#options;
    const output = await runProgram(commands, ['sh', '-c', listCables, 'sh', `coxswain:${network}:`]);
    const lines = output.split('\n').filter((line) => line !== '');
    return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
  }

  /** Removes the bridge, and all interfaces that are connected to it or have the tag of this network. */
  async remove(): Promise<void> {
    const { commands, bridge } = this.#options;
    const { output } = await commands.run(['sh', '-c', listPorts, 'sh', bridge]);
    const names = new Set([...(await this.cables()).keys(), ...output.split('\n').filter((name) => name !== '')]);
    for (const name of names) await removeLink(commands, name);
    await removeLink(commands, bridge);
  }
}

/** Sends so many bits a second, and 10 ms of them, or 64 KiB, at once. */
const limit = (name: string, rate: number): readonly string[] => {
  const burst = `${Math.max(64 * 1024, Math.ceil(rate / 8 / 100))}b`;
  return [
    'tc',
    'qdisc',
    'replace',
    'dev',
    name,
    'root',
    'tbf',
    'rate',
    `${rate}bit`,
    'burst',
    burst,
    'latency',
    '25ms',
  ];
};

async function removeLink(commands: Commands, name: string): Promise<void> {
  const { status, output } = await commands.run(['ip', 'link', 'delete', 'dev', name]);
  if (status !== 0 && !output.includes('Cannot find device')) throw new Error(`ip failed: ${output.trim()}`);
}

/** Arguments: bridge, its hardware address, its tag, its addresses. */
const makeBridge = `
bridge=$1 mac=$2 tag=$3; shift 3
ip link show dev "$bridge" >/dev/null 2>&1 ||
  ip link add name "$bridge" address "$mac" type bridge || ip link show dev "$bridge" >/dev/null || exit 1
ip link set dev "$bridge" alias "$tag" up || exit 1
cd /proc/sys/net
echo 1 >"ipv4/conf/$bridge/route_localnet"
for address; do
  case $address in
  *:*)
    echo 0 >"ipv6/conf/$bridge/accept_ra"
    ip address replace "$address" dev "$bridge" nodad || exit 1 ;;
  *) ip address replace "$address" dev "$bridge" || exit 1 ;;
  esac
done
`;

/** Arguments: name of the node's end, namespace, commands for the node, commands for the pod, \`ipv6\` or nothing. */
const connectPod = `
name=$1 netns=$2 outside=$3 inside=$4 ipv6=$5
if ! printf %s "$outside" | ip -batch -; then
  # Left by an interrupted call.
  ip link delete dev "$name" || exit 1
  printf %s "$outside" | ip -batch - || exit 1
fi
[ -z "$ipv6" ] || nsenter --net="$netns" -- sh -c 'cd /proc/sys/net/ipv6/conf/eth0 && echo 0 >accept_ra'
printf %s "$inside" | nsenter --net="$netns" -- ip -batch -
`;

/** Prints the name and the id of each cable. Arguments: the beginning of the tag. */
const listCables = `ip -oneline link show type veth | sed -n "s/^[0-9]*: \\([^:@]*\\).* alias $1\\([^ ]*\\).*/\\1 \\2/p"`;

/** Prints the names of what is connected to a bridge. */
const listPorts = `ip -oneline link show master "$1" 2>/dev/null | sed -n "s/^[0-9]*: \\([^:@]*\\).*/\\1/p"`;
