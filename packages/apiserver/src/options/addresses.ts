import { isUnspecified, type NetworkInterfaces } from '@coxswain/component-base/http';
import { isLoopback } from '../bootstrap/index.ts';

/**
 * Returns the default of `--advertise-address`: the bind address, or else the first address of this machine that is reachable from
 * outside and of the services' IP family. Differs from upstream: when there is none, which is an error upstream, a loopback address.
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

/** Returns the host at which this machine itself reaches the server, as in a URL. */
export function localHost(bindAddress: string): string {
  const host = isUnspecified(bindAddress) ? '127.0.0.1' : bindAddress;
  return host.includes(':') ? `[${host}]` : host;
}
