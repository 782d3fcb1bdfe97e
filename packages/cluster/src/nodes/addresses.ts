import { BlockList, isIP } from 'node:net';

/** The API server's default of `--service-cluster-ip-range`. */
export const defaultServiceRange = '10.96.0.0/16';

/**
 * Returns a predicate for addresses in one of these ranges. Invalid ranges are ignored: the API server reports them for
 * its flag.
 */
export function inRanges(ranges: readonly string[]): (host: string) => boolean {
  const blocks = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    try {
      blocks.addSubnet(address, Number(bits), familyOf(address));
    } catch {
      // The API server reports the invalid range.
    }
  }
  return (host) => isIP(host) !== 0 && blocks.check(host, familyOf(host));
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
