import type { HostAlias, Pod } from '@coxswain/api/core/v1';
import { podNameAndDomain } from '../runtime/pod-hostname.ts';

const header = '# Kubernetes-managed hosts file.\n';
const headerOfHostNetwork = '# Kubernetes-managed hosts file (host network).\n';

/** The lines that every hosts file has. */
const wellKnown = [
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
];

/** Returns the /etc/hosts of a pod with a network of its own. */
export function podHostsFile(pod: Pod, podIPs: readonly string[], clusterDomain: string): string {
  const { hostname, domain } = podNameAndDomain(pod, clusterDomain);
  const names = domain === '' ? hostname : `${hostname}.${domain}\t${hostname}`;
  const own = podIPs.map((ip) => `${ip}\t${names}`);
  return `${header}${[...wellKnown, ...own].map((line) => `${line}\n`).join('')}${aliasLines(pod.spec?.hostAliases)}`;
}

/** Returns the /etc/hosts of a pod in the node's network: the node's hosts file, followed by the pod's aliases. */
export const hostNetworkHostsFile = (pod: Pod, ofNode: string): string =>
  headerOfHostNetwork + ofNode + aliasLines(pod.spec?.hostAliases);

function aliasLines(aliases: readonly HostAlias[] | null | undefined): string {
  if (!aliases?.length) return '';
  const lines = aliases.map(({ ip, hostnames }) => `${ip}\t${(hostnames ?? []).join('\t')}\n`);
  return `\n# Entries added by HostAliases.\n${lines.join('')}`;
}
