import { GroupVersionKind } from '@coxswain/apimachinery/meta';
import { CachedDiscovery } from '../discovery/cached-discovery.ts';
import { DeferredRESTMapper } from '../discovery/deferred-rest-mapper.ts';
import { DiscoveryClient } from '../discovery/discovery-client.ts';
import type { CallOptions } from '../rest/call-options.ts';
import type { ResourceDescription } from '../rest/resource.ts';
import type { RESTClient } from '../rest/rest-client.ts';

/** A mapper that reads the server's discovery on first use. */
export const mapperFor = (rest: RESTClient): DeferredRESTMapper =>
  new DeferredRESTMapper(new CachedDiscovery(new DiscoveryClient(rest)));

/**
 * Finds the resource of a kind by discovery. Rejects with an Error when apiVersion or kind is missing, and with
 * NoKindMatchError when the server does not have the kind.
 */
export async function describeKind(
  mapper: DeferredRESTMapper,
  { apiVersion, kind }: { readonly apiVersion?: string; readonly kind?: string },
  options?: CallOptions,
): Promise<ResourceDescription> {
  if (!kind) throw new Error("Object 'Kind' is missing");
  if (!apiVersion) throw new Error("Object 'apiVersion' is missing");
  const { groupKind, version } = GroupVersionKind.fromApiVersionAndKind(apiVersion, kind);
  const { resource, scope } = await mapper.restMapping(groupKind, [version], options);
  return {
    group: resource.group,
    version: resource.version,
    resource: resource.resource,
    kind,
    namespaced: scope === 'namespace',
  };
}
