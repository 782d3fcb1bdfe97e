import { type AddressFamily, type AddressRange, familyOf } from '../addresses/index.ts';
import { type HostPort, hostPortKey } from '../ports/index.ts';

/** What the packet rules of a node depend on. */
export interface TableContents {
  /** The ranges of this node's pods. */
  readonly podRanges: readonly AddressRange[];
  /** Addresses of pods outside of these ranges: of pods that were there before the ranges changed. */
  readonly podAddresses: readonly string[];
  /** Ranges inside which pods keep their addresses: those of all pods of the cluster. */
  readonly clusterRanges: readonly AddressRange[];
  /** The interface of the bridge of pods. */
  readonly bridge: string;
  /** Where two are for the same port, the later one counts. */
  readonly hostPorts: readonly HostPort[];
}

interface Family {
  readonly family: AddressFamily;
  readonly number: '4' | '6';
  readonly word: 'ip' | 'ip6';
  readonly multicast: string;
}

const families: readonly Family[] = [
  { family: 'ipv4', number: '4', word: 'ip', multicast: '224.0.0.0/4' },
  { family: 'ipv6', number: '6', word: 'ip6', multicast: 'ff00::/8' },
];

/** Replaces the whole table, in one transaction. */
export function wholeTable(name: string, contents: TableContents): string {
  return `add table inet ${name}
delete table inet ${name}
table inet ${name} {
${families.map(({ number }) => setsOf(number)).join('')}
  chain host-ports {
${families.map(dnatRules).join('')}  }

  chain prerouting {
    type nat hook prerouting priority -105; policy accept;
    fib daddr type local jump host-ports
  }

  chain output {
    type nat hook output priority -105; policy accept;
    fib daddr type local jump host-ports
  }

  chain postrouting {
    type nat hook postrouting priority 95; policy accept;
    ip saddr 127.0.0.0/8 ip daddr @pods4 masquerade
${families.map(masqueradeRules).join('')}  }

  # Host ports on 127.0.0.1 need the setting route_localnet, which must not open the node's own loopback to pods.
  chain loopback {
    type filter hook prerouting priority -300; policy accept;
    iifname "${contents.bridge}" ip daddr 127.0.0.0/8 drop
  }
}
${tableElements(name, contents)}`;
}

/** Replaces the elements of sets and maps of the table, in one transaction. */
export function tableElements(name: string, contents: TableContents): string {
  const { podRanges, podAddresses, clusterRanges, hostPorts } = contents;
  const ports = [...new Map(hostPorts.map((port) => [hostPortKey(port), port])).values()];
  return families
    .map(({ family, number }) => {
      const own = ports.filter((port) => port.family === family);
      const ranges = (list: readonly AddressRange[]): readonly string[] => [
        ...new Set(list.filter((range) => range.family === family).map(String)),
      ];
      const addresses = podAddresses.filter((address) => familyOf(address) === family);
      const to = ({ address, containerPort }: HostPort): string => `${address} . ${containerPort}`;
      return [
        elements(name, 'set', `pods${number}`, [...ranges(podRanges), ...addresses]),
        elements(name, 'set', `cluster${number}`, [...ranges([...podRanges, ...clusterRanges]), ...addresses]),
        elements(name, 'set', `hairpin${number}`, [...new Set(own.map(({ address }) => `${address} . ${address}`))]),
        elements(
          name,
          'map',
          `ports${number}`,
          own.filter(({ hostIP }) => !hostIP).map((port) => `${port.protocol} . ${port.hostPort} : ${to(port)}`),
        ),
        elements(
          name,
          'map',
          `addressed${number}`,
          own
            .filter(({ hostIP }) => hostIP)
            .map((port) => `${port.hostIP} . ${port.protocol} . ${port.hostPort} : ${to(port)}`),
        ),
      ].join('');
    })
    .join('');
}

const elements = (name: string, kind: 'set' | 'map', set: string, list: readonly string[]): string =>
  `flush ${kind} inet ${name} ${set}\n${list.length === 0 ? '' : `add element inet ${name} ${set} { ${list.join(', ')} }\n`}`;

const setsOf = (number: '4' | '6'): string => `
  set pods${number} { type ipv${number}_addr; flags interval; auto-merge; }
  set cluster${number} { type ipv${number}_addr; flags interval; auto-merge; }
  set hairpin${number} { type ipv${number}_addr . ipv${number}_addr; }
  map ports${number} { type inet_proto . inet_service : ipv${number}_addr . inet_service; }
  map addressed${number} { type ipv${number}_addr . inet_proto . inet_service : ipv${number}_addr . inet_service; }
`;

const dnatRules = ({ number, word }: Family): string =>
  `    dnat ${word} to ${word} daddr . meta l4proto . th dport map @addressed${number}
    dnat ${word} to meta l4proto . th dport map @ports${number}
`;

/** A pod that reaches itself by a port of the node needs another source address, or it would drop the packets as its own. */
const masqueradeRules = ({ number, word, multicast }: Family): string =>
  `    ${word} saddr . ${word} daddr @hairpin${number} masquerade
    ${word} saddr @pods${number} ${word} daddr != @cluster${number} ${word} daddr != ${multicast} masquerade
`;
