import { formatIP, isIPv4, parseCIDRSloppy, parseIPSloppy } from '@coxswain/apimachinery';

/** What the server is called, in its certificate. */
export interface ServingNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

export interface ServingNamesOptions {
  readonly hostname: string;
  /** `--bind-address`, `--advertise-address`; an address that stands for all of them is left out. */
  readonly addresses?: readonly string[];
  /** `--service-cluster-ip-range`: the first address of each is the `kubernetes` service. */
  readonly serviceClusterIPRanges: readonly string[];
  /** Default `cluster.local`. */
  readonly clusterDomain?: string;
  /** Names and addresses that the user wants besides. */
  readonly extraNames?: readonly string[];
}

/** The names by which clients inside and outside the cluster reach the server, each once. Throws for a bad range. */
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

/** The address of the `kubernetes` service: the first of the range after the network's own. Throws for a bad range. */
export function firstServiceIP(range: string): string {
  const cidr = parseCIDRSloppy(range);
  if (!cidr) throw new Error(`invalid CIDR address: ${range}`);
  const bytes = Uint8Array.from(cidr.network);
  bytes[bytes.length - 1]! += 1;
  return formatIP(bytes);
}

const isUnspecified = (bytes: Uint8Array): boolean =>
  (isIPv4(bytes) ? bytes.subarray(12) : bytes).every((byte) => byte === 0);
