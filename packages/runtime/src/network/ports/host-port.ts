import { type AddressFamily, familyOf } from '../addresses/index.ts';
import type { PortMapping } from '../pod-network.ts';

/** A port of the node, in one family, that leads to the address of a pod. */
export interface HostPort {
  readonly family: AddressFamily;
  readonly protocol: 'tcp' | 'udp' | 'sctp';
  /** Undefined for all addresses of the node. */
  readonly hostIP: string | undefined;
  readonly hostPort: number;
  readonly address: string;
  readonly containerPort: number;
}

const anyAddress: ReadonlySet<string> = new Set(['', '0.0.0.0', '::']);

/**
 * The host ports of a pod, for each of its addresses. A host address serves its own family; `0.0.0.0` and `::` stand for all addresses of
 * theirs.
 */
export function hostPortsOf(mappings: readonly PortMapping[], ips: readonly string[]): readonly HostPort[] {
  return mappings
    .filter(({ hostPort }) => hostPort > 0)
    .flatMap(({ protocol, hostIP, hostPort, containerPort }) =>
      ips
        .filter((address) => hostIP === '' || familyOf(hostIP) === familyOf(address))
        .map((address) => ({
          family: familyOf(address),
          protocol: protocolNames[protocol],
          hostIP: anyAddress.has(hostIP) ? undefined : hostIP,
          hostPort,
          address,
          containerPort,
        })),
    );
}

const protocolNames = { TCP: 'tcp', UDP: 'udp', SCTP: 'sctp' } as const;

/** The same for ports that cannot both exist. */
export const hostPortKey = ({ family, protocol, hostIP, hostPort }: HostPort): string =>
  `${family} ${hostIP ?? '*'} ${protocol} ${hostPort}`;
