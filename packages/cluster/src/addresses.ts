import { BlockList, isIP } from 'node:net';
import type { ClusterOptions } from './cluster.ts';
import { nodeSpecs } from './nodes.ts';

/** Pods' addresses are from there: a range of 256 for each node. The larger one is for more than 250 nodes. */
const [podRange, largePodRange] = ['10.244.0.0/16', '10.128.0.0/9'];

/** Unless the API server is told otherwise. */
const serviceRange = '10.96.0.0/16';

const nodeRange = '172.18.0.0/16';

export const podRangeOf = ({ nodes }: Pick<ClusterOptions, 'nodes'>): string =>
  nodeSpecs(nodes).length > 250 ? largePodRange : podRange;

/** Each node has one of its own. */
export const nodeAddress = (index: number): string => `172.18.${((index + 2) >> 8) & 255}.${(index + 2) & 255}`;

/**
 * Whether that is an address of a hollow node, of one of its pods or of a service. Somebody else may have it in the network that
 * this machine is in, and is not to hear from us.
 */
export function nobodyAt(options: Pick<ClusterOptions, 'nodes' | 'apiServer'>): (host: string) => boolean {
  const hollow = new BlockList();
  const { serviceClusterIpRange = [serviceRange] } = options.apiServer ?? {};
  for (const range of [podRangeOf(options), nodeRange, ...serviceClusterIpRange]) {
    const [address = '', bits] = range.split('/');
    try {
      hollow.addSubnet(address, Number(bits), familyOf(address));
    } catch {
      // What is no range is for the API server to refuse, in its own words.
    }
  }
  return (host) => isIP(host) !== 0 && hollow.check(host, familyOf(host));
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
