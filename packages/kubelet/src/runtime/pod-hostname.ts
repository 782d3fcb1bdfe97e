import type { Pod } from '@coxswain/api/core/v1';

/** A hostname that is longer is cut: the kernel takes no more, and DNS no longer labels. */
const longestHostname = 63;
/** The kernel's limit for names with a domain. */
const longestFqdn = 64;

interface PodName {
  readonly hostname: string;
  /** The domain of a pod with a subdomain; empty for others. */
  readonly domain: string;
}

/** Returns a pod's hostname and the domain under which cluster DNS knows it. */
export function podNameAndDomain({ metadata, spec }: Pod, clusterDomain: string): PodName {
  const { name = '', namespace = '' } = metadata;
  const { hostname, hostnameOverride, subdomain } = spec ?? {};
  if (hostnameOverride) return { hostname: hostnameOverride, domain: '' };
  const own = hostname || name.slice(0, longestHostname).replace(/[-.]+$/, '');
  return { hostname: own, domain: subdomain ? `${subdomain}.${namespace}.svc.${clusterDomain}` : '' };
}

/** Returns what `hostname` prints in the pod's containers. Throws if that is too long for the kernel. */
export function podHostname(pod: Pod, clusterDomain: string): string {
  const { hostname, domain } = podNameAndDomain(pod, clusterDomain);
  if (!pod.spec?.setHostnameAsFQDN || domain === '') return hostname;
  const fqdn = `${hostname}.${domain}`;
  if (fqdn.length <= longestFqdn) return fqdn;
  throw new Error(
    `failed to construct FQDN from pod hostname and cluster domain, FQDN ${fqdn} is too long (${longestFqdn} characters is the max, ${fqdn.length} characters requested)`,
  );
}
