import { isUnspecified, type NetworkInterfaces } from '@coxswain/component-base/http';
import { isLoopback } from '../bootstrap/index.ts';

/**
 * `--advertise-address` where nobody gave it: the address that is listened on, or the first one of this machine that
 * others could reach, of the family of the services' addresses. Differs from upstream: where there is none, which ends
 * its start, 127.0.0.1.
 */
export function defaultAdvertiseAddress(
  bindAddress: string,
  family: 'IPv4' | 'IPv6',
  interfaces: NetworkInterfaces,
): string {
  if (!isUnspecified(bindAddress) && !isLoopback(bindAddress)) return bindAddress;
  const candidates = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:') && !address.startsWith('169.254.'));
  const found = candidates.find((candidate) => candidate.family === family);
  return found?.address ?? (family === 'IPv4' ? '127.0.0.1' : '::1');
}

/** Where this machine itself reaches it. */
export function localHost(bindAddress: string): string {
  const host = isUnspecified(bindAddress) ? '127.0.0.1' : bindAddress;
  return host.includes(':') ? `[${host}]` : host;
}
