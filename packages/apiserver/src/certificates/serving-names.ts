import { formatIP, isIPv4, parseCIDRSloppy, parseIPSloppy } from '@coxswain/apimachinery';

/** The subject alternative names of the serving certificate. */
export interface ServingNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

export interface ServingNamesOptions {
  readonly hostname: string;
  /** `--bind-address`, `--advertise-address`; unspecified addresses (`0.0.0.0`, `::`) are omitted. */
  readonly addresses?: readonly string[];
  /** `--service-cluster-ip-range`: the first address of each range is that of the `kubernetes` Service. */
  readonly serviceClusterIPRanges: readonly string[];
  /** Default `cluster.local`. */
  readonly clusterDomain?: string;
  /** Names and addresses that the user adds. */
  readonly extraNames?: readonly string[];
}

/** The names and addresses by which clients reach the server, without duplicates. Throws for an invalid range. */
export function servingNames(options: ServingNamesOptions): ServingNames {
  const {
    hostname,
    addresses = [],
    serviceClusterIPRanges,
    clusterDomain = 'cluster.local',
    extraNames = [],
  } = options;
  const dnsNames = new Set([
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    `kubernetes.default.svc.${clusterDomain}`,
    'localhost',
  ]);
  const ipAddresses = new Set(['127.0.0.1', '::1', ...serviceClusterIPRanges.map(firstServiceIP)]);
  for (const name of [hostname, ...addresses, ...extraNames]) {
    const address = parseIPSloppy(name);
    if (!address) dnsNames.add(name.toLowerCase());
    else if (!isUnspecified(address.bytes)) ipAddresses.add(formatIP(address.bytes));
  }
  return { dnsNames: [...dnsNames], ipAddresses: [...ipAddresses] };
}

/** The address of the `kubernetes` Service: the one after the network address. Throws for an invalid range. */
export function firstServiceIP(range: string): string {
  const cidr = parseCIDRSloppy(range);
  if (!cidr) throw new Error(`invalid CIDR address: ${range}`);
  const bytes = Uint8Array.from(cidr.network);
  bytes[bytes.length - 1]! += 1;
  return formatIP(bytes);
}

const isUnspecified = (bytes: Uint8Array): boolean =>
  (isIPv4(bytes) ? bytes.subarray(12) : bytes).every((byte) => byte === 0);
