import { validatePodLogOptions } from '@coxswain/api';
import type { PodLogOptions } from '@coxswain/api/core/v1';
import {
  type ApiError,
  GroupKind,
  GroupResource,
  newBadRequest,
  newGenericServerResponse,
  newInternalError,
  newInvalid,
} from '@coxswain/apimachinery';
import { type ApiResponse, isWebSocketRequest } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import { plainError } from '../registry/plain-error.ts';
import { brokenTransport, DialError, type DialResponse, hostPort } from './dialer.ts';
import { containerOf } from './pod-container.ts';
import { getOf, type ProxyDependencies } from './proxy-dependencies.ts';
import { responseBody } from './response-body.ts';
import { webSocketLog } from './websocket-log.ts';

const kind = GroupKind.of('', 'PodLogOptions');
const resource = GroupResource.of('', 'pods/log');
const redirects = new Set([301, 302, 303, 307, 308]);
const maxErrorLength = 50_000;

/** The query parameters for the kubelet, in Go's encoding order. */
const parameters = [
  'follow',
  'limitBytes',
  'previous',
  'sinceSeconds',
  'sinceTime',
  'stream',
  'tailLines',
  'timestamps',
] as const satisfies readonly (keyof PodLogOptions)[];

/**
 * Returns the log of a container from its kubelet, or a 204 while the pod has no node. Throws Invalid for invalid options,
 * BadRequest for an unknown container, NotFound, and upstream's errors for error responses of the kubelet.
 */
export async function podLog(
  context: RequestContext,
  options: PodLogOptions,
  deps: ProxyDependencies,
): Promise<ApiResponse> {
  const { name } = context.info;
  const selectsStreams = deps.featureGates.enabled('PodLogsQuerySplitStreams');
  const complete = selectsStreams ? { stream: 'All', ...options } : options;
  const errors = validatePodLogOptions(complete, selectsStreams);
  if (errors.length > 0) throw newInvalid(kind, name, errors);

  const pod = getOf(deps.pods, context, name);
  const container = containerOf(pod, options.container);
  const node = pod.spec?.nodeName;
  if (!node) return { status: 204, headers: {} };

  const kubelet = deps.kubelets.target(context, node);
  const target = options.insecureSkipTLSVerifyBackend ? { ...kubelet, trust: 'kubelet-unverified' as const } : kubelet;
  const path = `/containerLogs/${context.info.namespace}/${name}/${container}${queryOf(complete)}`;
  const { signal } = context.request;
  const response = await deps.dialer.dial(target, { method: 'GET', path, headers: {}, signal }).catch((error) => {
    if (!(error instanceof DialError)) throw error;
    throw plainError(`Get "${target.scheme}://${hostPort(target)}${path}": ${brokenTransport(error)}`, {
      cause: error,
    });
  });
  await refuseUnlessLog(response, name);
  if (isWebSocketRequest(context.request)) return webSocketLog(context.request, response.body);
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: responseBody(response.body, 'end') };
}

function queryOf(options: PodLogOptions): string {
  const query = new URLSearchParams();
  for (const parameter of parameters) {
    const value = options[parameter];
    if (value !== undefined && value !== false) query.append(parameter, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}

async function refuseUnlessLog({ status, headers, body }: DialResponse, name: string): Promise<void> {
  if (status >= 200 && status <= 206) return;
  const { location } = headers;
  if (redirects.has(status) && location !== undefined) {
    body.destroy();
    throw plainError(`Get "${String(location)}": redirects forbidden`);
  }
  throw readError(status, await startOf(body), name);
}

function readError(code: number, text: string, name: string): ApiError {
  if (code === 500) return newInternalError(text);
  if (code === 400) return newBadRequest(text);
  return newGenericServerResponse({ code, verb: '', resource, name, serverMessage: text });
}

/** Returns the start of an error body of the kubelet, of the length that upstream reads. */
async function startOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    // Leaving the loop destroys the rest of the body.
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maxErrorLength) break;
    }
  } catch (error) {
    throw newInternalError(error instanceof Error ? error : String(error));
  }
  return Buffer.concat(chunks).toString('utf8', 0, maxErrorLength);
}
