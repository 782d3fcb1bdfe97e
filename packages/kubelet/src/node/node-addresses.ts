import type { NodeAddress } from '@coxswain/api/core/v1';
import type { HostInterface, HostNetwork, IPFamily } from './host-network.ts';
import { isUnspecified } from './node-ips.ts';

export interface NodeAddressOptions {
  readonly nodeName: string;
  /** `--node-ip`, in canonical form. */
  readonly nodeIPs: readonly string[];
  /** A cloud controller manager sets the addresses, and the kubelet only those that it is told. */
  readonly externalCloudProvider: boolean;
}

/**
 * Returns the addresses of the node. `known` are those that its status has; only a cloud controller manager's are kept. Rejects with
 * upstream's message if the machine does not have the address of `--node-ip`, or no address can be found.
 */
export async function nodeAddresses(
  { nodeName, nodeIPs, externalCloudProvider }: NodeAddressOptions,
  network: HostNetwork,
  known: readonly NodeAddress[],
): Promise<readonly NodeAddress[]> {
  const [first, second] = nodeIPs;
  const isGiven = first !== undefined && !isUnspecified(first);
  if (isGiven) checkNodeIP(first, network, 'nodeIP');
  if (second !== undefined) checkNodeIP(second, network, 'secondaryNodeIP');
  const hostname = { type: 'Hostname', address: nodeName };
  if (externalCloudProvider && known.length > 0) return known;
  if (externalCloudProvider && first === undefined) return [hostname];
  const addresses = isGiven ? nodeIPs : [await findAddress(nodeName, first, network)];
  return [...addresses.map((address) => ({ type: 'InternalIP', address })), hostname];
}

/** The name as an address, or what it resolves to, or the address of the default route's interface. */
async function findAddress(nodeName: string, nodeIP: string | undefined, network: HostNetwork): Promise<string> {
  if (isIP(nodeName)) return nodeName;
  const families: readonly IPFamily[] = nodeIP === '::' ? ['IPv6', 'IPv4'] : ['IPv4', 'IPv6'];
  const resolved = (await network.lookUp(nodeName)).filter((address) => nodeIPProblem(address, network) === undefined);
  const found = resolved.find((address) => familyOf(address) === families[0]) ?? resolved[0];
  if (found !== undefined) return found;
  try {
    return await defaultAddress(families, network);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`can't get ip address of node ${nodeName}. error: ${reason}`, { cause });
  }
}

async function defaultAddress(families: readonly IPFamily[], network: HostNetwork): Promise<string> {
  const interfaces = network.interfaces();
  const routes = await network.defaultInterfaces();
  if (!routes) {
    const outer = interfaces.filter(({ isLoopback }) => !isLoopback);
    const found = families.flatMap((family) => outer.flatMap((each) => globalAddress(each, family) ?? []))[0];
    if (found === undefined) throw new Error('no acceptable interface with global unicast address found on host');
    return found;
  }
  if (routes.IPv4.length + routes.IPv6.length === 0)
    throw new Error('no default routes found in "/proc/net/route" or "/proc/net/ipv6_route"');
  const byName = new Map(interfaces.map((each) => [each.name, each]));
  const loopbacks = interfaces.filter(({ isLoopback }) => isLoopback);
  for (const family of families) {
    for (const name of routes[family]) {
      // Where the interfaces have only link-local addresses, the node's own may be on the loopback interface.
      const candidates = [byName.get(name), ...loopbacks].flatMap((each) => each ?? []);
      const found = candidates.flatMap((each) => globalAddress(each, family) ?? [])[0];
      if (found !== undefined) return found;
    }
  }
  throw new Error('unable to select an IP from default routes.');
}

const globalAddress = ({ addresses }: HostInterface, family: IPFamily): string | undefined =>
  addresses.find((address) => familyOf(address) === family && rangeProblem(address) === undefined);

function checkNodeIP(address: string, network: HostNetwork, what: string): void {
  const problem = nodeIPProblem(address, network);
  if (problem !== undefined) throw new Error(`failed to validate ${what}: ${problem}`);
}

function nodeIPProblem(address: string, network: HostNetwork): string | undefined {
  const problem = rangeProblem(address);
  if (problem !== undefined) return problem;
  const isOwn = network.interfaces().some(({ addresses }) => addresses.includes(address));
  return isOwn ? undefined : `node IP: "${address}" not found in the host's network interfaces`;
}

function rangeProblem(address: string): string | undefined {
  if (/^127\./.test(address) || address === '::1') return "nodeIP can't be loopback address";
  if (/^(22[4-9]|23\d)\./.test(address) || /^ff/.test(address)) return "nodeIP can't be a multicast address";
  if (/^169\.254\./.test(address) || /^fe[89ab]/.test(address)) return "nodeIP can't be a link-local unicast address";
  return isUnspecified(address) ? "nodeIP can't be an all zeros address" : undefined;
}

const familyOf = (address: string): IPFamily => (address.includes(':') ? 'IPv6' : 'IPv4');

const isIP = (text: string): boolean => /^\d+\.\d+\.\d+\.\d+$/.test(text) || /^[0-9a-f:.]*:[0-9a-f:.]*$/.test(text);
