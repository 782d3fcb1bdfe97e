import type { NetworkInterfaceInfo } from 'node:os';
import { formatIP, parseIPSloppy } from '@coxswain/apimachinery';

/** The result of `os.networkInterfaces()`. */
export type NetworkInterfaces = Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>;

/** True for 0.0.0.0, :: and anything that is not an IP address. */
export const isUnspecified = (address: string): boolean => {
  const bytes = parseIPSloppy(address)?.bytes;
  return !bytes || formatIP(bytes) === '0.0.0.0' || formatIP(bytes) === '::';
};

/**
 * Returns the host to listen on. An unspecified address becomes `::`, which includes IPv4, when the machine has an IPv6
 * address, and `0.0.0.0` otherwise.
 */
export function listenHost(bindAddress: string, interfaces: NetworkInterfaces): string {
  if (!isUnspecified(bindAddress)) return bindAddress;
  const hasIPv6 = Object.values(interfaces).some((addresses) => addresses?.some(({ family }) => family === 'IPv6'));
  return hasIPv6 ? '::' : '0.0.0.0';
}
