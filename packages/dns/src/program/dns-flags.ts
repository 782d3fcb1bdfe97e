import { flag, type Given, integerBetween, string, strings } from '@coxswain/component-base';
import { loggingFlags } from '@coxswain/component-base/logs';

/** The supported flags, grouped as in `--help`. CoreDNS' own are accepted with one dash, too. */
export const flagGroups = {
  Misc: {
    conf: flag(string, 'The Corefile to load; without it, the ConfigMap of --config-map is watched'),
    'config-map': flag(string, 'Namespace and name of the ConfigMap with the Corefile', 'kube-system/coredns'),
    'dns.port': flag(integerBetween(0, 65_535), 'The port of server blocks without one', 53),
    'bind-address': flag(strings, 'The addresses to listen on; by default all addresses of the machine', []),
    kubeconfig: flag(string, 'Kubeconfig with address and credentials for the API server'),
    master: flag(string, 'Address of the API server, instead of the kubeconfig’s'),
  },
  Logs: loggingFlags,
} as const;

/** By name. */
export const dnsFlags = { ...flagGroups.Misc, ...flagGroups.Logs };

/** The given values of the flags, by camelCase name. */
export type DnsCommandOptions = Given<typeof dnsFlags>;
