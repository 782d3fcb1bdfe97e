import type { NetworkInterfaceInfo } from 'node:os';
import { formatIP, parseIPSloppy } from '@coxswain/apimachinery';

/** What `os.networkInterfaces()` gives. */
export type NetworkInterfaces = Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>;

/** 0.0.0.0, :: or nothing at all. */
export const isUnspecified = (address: string): boolean => {
  const bytes = parseIPSloppy(address)?.bytes;
  return !bytes || formatIP(bytes) === '0.0.0.0' || formatIP(bytes) === '::';
};

/** Where to listen: an address that stands for all of them is one of both families, where the machine has both. */
export function listenHost(bindAddress: string, interfaces: NetworkInterfaces): string {
  if (!isUnspecified(bindAddress)) return bindAddress;
  const hasIPv6 = Object.values(interfaces).some((addresses) => addresses?.some(({ family }) => family === 'IPv6'));
  return hasIPv6 ? '::' : '0.0.0.0';
}
