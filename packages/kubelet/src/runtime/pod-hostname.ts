import type { Pod } from '@coxswain/api/core/v1';

/** The longest label in DNS. Longer hostnames are truncated. */
const longestHostname = 63;
/** The kernel's limit for hostnames, which may contain a domain. */
const longestFqdn = 64;

interface PodName {
  readonly hostname: string;
  /** Empty for pods without a subdomain. */
  readonly domain: string;
}

/** Returns a pod's hostname and its domain in the cluster DNS. */
export function podNameAndDomain({ metadata, spec }: Pod, clusterDomain: string): PodName {
  const { name = '', namespace = '' } = metadata;
  const { hostname, hostnameOverride, subdomain } = spec ?? {};
  if (hostnameOverride) return { hostname: hostnameOverride, domain: '' };
  const own = hostname || name.slice(0, longestHostname).replace(/[-.]+$/, '');
  return { hostname: own, domain: subdomain ? `${subdomain}.${namespace}.svc.${clusterDomain}` : '' };
}

/** Returns the hostname that the pod's containers have. Throws if it is too long for the kernel. */
export function podHostname(pod: Pod, clusterDomain: string): string {
  const { hostname, domain } = podNameAndDomain(pod, clusterDomain);
  if (!pod.spec?.setHostnameAsFQDN || domain === '') return hostname;
  const fqdn = `${hostname}.${domain}`;
  if (fqdn.length <= longestFqdn) return fqdn;
  throw new Error(
    `failed to construct FQDN from pod hostname and cluster domain, FQDN ${fqdn} is too long (${longestFqdn} characters is the max, ${fqdn.length} characters requested)`,
  );
}
