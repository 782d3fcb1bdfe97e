import { isIP } from 'node:net';
import type { Pod, PodDNSConfigOption } from '@coxswain/api/core/v1';
import { podText } from '../pods/pod-events.ts';
import type { ResolverConfiguration } from './resolv-conf.ts';

/** The node's settings that pods' resolver configurations depend on. */
export interface DnsSettings {
  /** The IP addresses of the cluster DNS. */
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  /** The node's resolver configuration. Undefined if pods do not inherit it. */
  readonly node: ResolverConfiguration | undefined;
  readonly nodeIPs: readonly string[];
}

interface Warning {
  readonly reason: 'DNSConfigForming' | 'MissingClusterDNS';
  readonly message: string;
  /** The message of an event of the node, if the warning also concerns the node. */
  readonly nodeMessage?: string;
}

export interface PodDns {
  readonly config: ResolverConfiguration;
  /** Warnings to record as events of the pod. */
  readonly warnings: readonly Warning[];
}

const maxServers = 3;
const maxSearches = 32;
const maxSearchCharacters = 2048;
/** Longer search domains make some resolvers fail. */
const longestSearch = 253;

/** Returns a pod's resolver configuration according to its DNS policy, cut to the limits of resolvers, and warnings about what was cut. */
export function podDns(pod: Pod, settings: DnsSettings): PodDns {
  const warnings: Warning[] = [];
  const base = baseConfiguration(pod, settings, warnings);
  const { nameservers, searches, options } = pod.spec?.dnsConfig ?? {};
  const merged = {
    servers: unique([...base.servers, ...(nameservers ?? [])]),
    searches: unique([...base.searches, ...(searches ?? [])]),
    options: mergeOptions(base.options, options ?? []),
  };
  return { config: limited(pod.spec?.dnsConfig ? merged : base, warnings), warnings };
}

function baseConfiguration(pod: Pod, settings: DnsSettings, warnings: Warning[]): ResolverConfiguration {
  const { dnsPolicy = 'ClusterFirst', hostNetwork } = pod.spec ?? {};
  const { clusterDNS, clusterDomain, node, nodeIPs } = settings;
  if (dnsPolicy === 'None') return { servers: [], searches: [], options: [] };
  const wantsCluster =
    dnsPolicy === 'ClusterFirstWithHostNet' ||
    (dnsPolicy !== 'Default' && !(dnsPolicy === 'ClusterFirst' && hostNetwork));
  if (wantsCluster && clusterDNS.length > 0) {
    const domains = [`${pod.metadata.namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
    const searches = unique([...(clusterDomain === '' ? [] : domains), ...(node?.searches ?? [])]);
    return { servers: clusterDNS, searches, options: ['ndots:5'] };
  }
  if (wantsCluster) {
    const nodeMessage =
      'kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.';
    const message = `pod: "${podText(pod)}". ${nodeMessage}`;
    warnings.push({ reason: 'MissingClusterDNS', message, nodeMessage });
  }
  if (node) return node;
  const servers = nodeIPs.map((ip) => (isIP(ip) === 6 ? '::1' : '127.0.0.1'));
  return { servers: servers.length > 0 ? servers : ['127.0.0.1'], searches: ['.'], options: [] };
}

function mergeOptions(before: readonly string[], more: readonly PodDNSConfigOption[]): string[] {
  const options = new Map<string, string>();
  for (const option of before) {
    const colon = option.indexOf(':');
    if (colon < 0) options.set(option, '');
    else options.set(option.slice(0, colon), option.slice(colon + 1));
  }
  for (const { name = '', value = '' } of more) options.set(name, value);
  return Array.from(options, ([name, value]) => (value === '' ? name : `${name}:${value}`));
}

function limited({ servers, searches, options }: ResolverConfiguration, warnings: Warning[]): ResolverConfiguration {
  const fewer = servers.slice(0, maxServers);
  if (fewer.length < servers.length) {
    const message = `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${fewer.join(' ')}`;
    warnings.push({ reason: 'DNSConfigForming', message });
  }
  const kept = searches.slice(0, maxSearches).filter(({ length }) => length <= longestSearch);
  while (kept.join(' ').length > maxSearchCharacters) kept.pop();
  if (kept.length < searches.length) {
    const message = `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${kept.join(' ')}`;
    warnings.push({ reason: 'DNSConfigForming', message });
  }
  return { servers: fewer, searches: kept, options };
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
