import { type EndpointRestrictions, negotiateOutput } from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import { headerOf, notFoundResponse } from '@coxswain/component-base/http';
import type { ContextHandler, RequestContext } from '../http/request-context.ts';
import type { AggregatedDocument, DiscoveryRegistry } from './discovery-registry.ts';
import { discoverySerializers } from './discovery-serializers.ts';
import { aggregatedKind, apiGroup, apiResourceList } from './documents.ts';
import { checkRoute, genericError } from './generic-errors.ts';
import { negotiatedResponse, type OutputSerializer } from './negotiated-response.ts';

export interface DiscoveryOptions {
  readonly registry: DiscoveryRegistry;
  /** Where clients reach the server: `10.0.0.1:6443`. */
  readonly serverAddress: () => string;
}

const aggregatedOnly: EndpointRestrictions = {
  allowsTransform: (_, target) => target === aggregatedKind,
  allowsStream: (schema) => schema === 'watch',
};

/**
 * Serves `/api`, `/apis`, `/api/VERSION`, `/apis/GROUP` and `/apis/GROUP/VERSION`, with or without a slash at the end.
 * Throws NotFound for a version that a known group has not, and whatever the request's method and Accept header deserve.
 */
export function discoveryHandler({ registry, serverAddress }: DiscoveryOptions): ContextHandler {
  const serializers = discoverySerializers();
  const mediaTypes = serializers.map(({ mediaType }) => mediaType);

  const root = (
    context: RequestContext,
    aggregated: () => AggregatedDocument,
    legacy: () => Record<string, unknown>,
  ): ApiResponse => {
    const chosen = negotiateOutput(headerOf(context.request, 'accept'), serializers, aggregatedOnly);
    return chosen.accepted && chosen.convert === aggregatedKind
      ? aggregatedResponse(context, serializers, aggregated())
      : negotiatedResponse(context, serializers, legacy());
  };

  const coreVersions = (): Record<string, unknown> => ({
    kind: 'APIVersions',
    versions: registry.group('')?.versions.map(({ version }) => version) ?? [],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: serverAddress() }],
  });

  const groupList = (): Record<string, unknown> => ({
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: registry.namedGroups().map(apiGroup),
  });

  const resources = (context: RequestContext, group: string, version: string): ApiResponse => {
    const served = registry.groupVersion(group, version);
    if (!served) {
      // Upstream's custom resources have no routes of their own.
      if (registry.group(group)?.versions.every(({ custom }) => custom)) return notFoundResponse();
      throw genericError(404, context.request.method);
    }
    checkRoute(context, mediaTypes);
    return negotiatedResponse(context, serializers, apiResourceList(served));
  };

  return async (context) => {
    const [prefix = '', first = '', second = '', ...rest] = context.info.path.replace(/\/$/, '').split('/').slice(1);
    if (prefix === 'api' && second === '') {
      if (first !== '') return resources(context, '', first);
      checkRoute(context, mediaTypes);
      return root(context, () => registry.aggregatedCore(), coreVersions);
    }
    if (prefix !== 'apis' || rest.length > 0) return notFoundResponse();
    // Only the path without the slash has the aggregated form.
    if (context.info.path === '/apis') return root(context, () => registry.aggregatedGroups(), groupList);
    if (first === '') return negotiatedResponse(context, serializers, groupList());
    const group = registry.group(first);
    if (!group) return notFoundResponse();
    if (second !== '') return resources(context, first, second);
    return negotiatedResponse(context, serializers, { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(group) });
  };
}

function aggregatedResponse(
  context: RequestContext,
  serializers: readonly OutputSerializer[],
  { object, etag }: AggregatedDocument,
): ApiResponse {
  // Clients may keep it, and ask each time whether it is still good: so the address is all that a cache goes by.
  const headers = { etag: `"${etag}"`, vary: 'Accept', 'cache-control': 'public' };
  if (headerOf(context.request, 'if-none-match') === headers.etag) return { status: 304, headers };
  const response = negotiatedResponse(context, serializers, object, aggregatedOnly);
  return { ...response, headers: { ...response.headers, ...headers } };
}
