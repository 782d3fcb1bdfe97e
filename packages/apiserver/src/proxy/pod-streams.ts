import type { PodAttachOptions, PodExecOptions, PodPortForwardOptions } from '@coxswain/api/core/v1';
import { GroupResource, newBadRequest, newForbidden } from '@coxswain/apimachinery';
import { type ApiResponse, isUpgradeRequest } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import { containerOf } from './pod-container.ts';
import { getOf, type ProxyDependencies } from './proxy-dependencies.ts';
import { upgradeThrough } from './upgrade-tunnel.ts';

/**
 * Runs a command in a container. As for `podAttach` and `podPortForward`, the client must request an upgrade; its connection is then
 * tunneled to the kubelet, in any protocol that the two agree on. All three throw Forbidden without the permission to `create` the
 * subresource, BadRequest, NotFound, and a 500 without a reason when the kubelet cannot be reached.
 *
 * Differs from upstream: WebSockets are never translated to SPDY, as upstream does for kubelets older than v1.36. Such a kubelet
 * refuses protocols that it does not know, and kubectl then retries with SPDY.
 */
export async function podExec(
  context: RequestContext,
  options: PodExecOptions,
  deps: ProxyDependencies,
): Promise<ApiResponse> {
  const query = streamQuery(options);
  for (const word of options.command ?? []) query.append('command', word);
  return connect(context, deps, 'exec', query, options);
}

/** Attaches to the streams of a container's process. See `podExec`. */
export async function podAttach(
  context: RequestContext,
  options: PodAttachOptions,
  deps: ProxyDependencies,
): Promise<ApiResponse> {
  return connect(context, deps, 'attach', streamQuery(options), options);
}

/** Opens connections to ports of a pod. See `podExec`. */
export async function podPortForward(
  context: RequestContext,
  options: PodPortForwardOptions,
  deps: ProxyDependencies,
): Promise<ApiResponse> {
  const query = new URLSearchParams();
  if (options.ports?.length) query.append('port', options.ports.join(','));
  return connect(context, deps, 'portForward', query);
}

function streamQuery({ stdin, stdout, stderr, tty }: Omit<PodAttachOptions, 'kind'>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, isOn] of Object.entries({ input: stdin, output: stdout, error: stderr, tty })) {
    if (isOn) query.append(name, '1');
  }
  return query;
}

async function connect(
  context: RequestContext,
  deps: ProxyDependencies,
  endpoint: string,
  query: URLSearchParams,
  perContainer?: { readonly container?: string },
): Promise<ApiResponse> {
  await ensureMayCreate(context, deps);
  const { name, namespace } = context.info;
  const pod = getOf(deps.pods, context, name);
  const container = perContainer && containerOf(pod, perContainer.container);
  const node = pod.spec?.nodeName;
  if (!node) throw newBadRequest(`pod ${name} does not have a host assigned`);
  const target = deps.kubelets.target(context, node);
  if (!isUpgradeRequest(context.request)) throw newBadRequest('Upgrade request required');
  query.sort();
  const path = [endpoint, namespace, name, container].filter((part) => part !== undefined).join('/');
  return upgradeThrough(context, target, `/${path}${query.size === 0 ? '' : `?${query}`}`, deps.dialer);
}

/** Authorizes `create`. Needed because WebSockets begin with a GET, which the authorization filter treats as `get`. */
async function ensureMayCreate({ info, user }: RequestContext, deps: ProxyDependencies): Promise<void> {
  if (info.verb === 'create' || !deps.featureGates.enabled('AuthorizePodWebsocketUpgradeCreatePermission')) return;
  const { apiGroup, apiVersion, resource, subresource, namespace, name, path } = info;
  const attributes = { user, verb: 'create', resourceRequest: true, apiGroup, apiVersion, resource, subresource };
  const { decision, reason } = await deps.authorizer.authorize({ ...attributes, namespace, name, path });
  if (decision !== 'allow') throw newForbidden(GroupResource.of(apiGroup, resource), name, reason);
}
