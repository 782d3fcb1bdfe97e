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
  /** The host and port at which clients reach the server, such as `10.0.0.1:6443`. */
  readonly serverAddress: () => string;
}

const aggregatedOnly: EndpointRestrictions = {
  allowsTransform: (_, target) => target === aggregatedKind,
  allowsStream: (schema) => schema === 'watch',
};

/**
 * Serves `/api`, `/apis`, `/api/VERSION`, `/apis/GROUP` and `/apis/GROUP/VERSION`, with or without a trailing slash.
 * Throws NotFound for an unknown version of a known group, MethodNotAllowed for methods other than GET, and NotAcceptable
 * when the Accept header matches no serializer.
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
      // Upstream registers no routes for custom resources, so a missing version is the mux's plain 404.
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
    // The aggregated form exists only without the trailing slash.
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
  // `public`: clients may cache the document and revalidate it with If-None-Match.
  const headers = { etag: `"${etag}"`, vary: 'Accept', 'cache-control': 'public' };
  if (headerOf(context.request, 'if-none-match') === headers.etag) return { status: 304, headers };
  const response = negotiatedResponse(context, serializers, object, aggregatedOnly);
  return { ...response, headers: { ...response.headers, ...headers } };
}
