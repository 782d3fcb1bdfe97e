import type { Pod } from '@coxswain/api/core/v1';
import { writeJson } from '@coxswain/apimachinery/codec/json';
import { fromStatus } from '@coxswain/apimachinery/errors';
import {
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  jsonErrorResponse,
  jsonResponse,
  readQuery,
  textResponse,
} from '@coxswain/component-base/http';
import { errorDetails } from '../runtime/error-details.ts';
import { containerLogs } from './container-logs.ts';
import { findPod, type KubeletHost } from './kubelet-host.ts';
import { resourceMetrics } from './resource-metrics.ts';
import { statsSummary } from './stats-summary.ts';

type Route = (host: KubeletHost, request: ApiRequest, parts: readonly string[]) => Promise<ApiResponse>;

/** By the first part of the path. */
const routes: Readonly<Record<string, Route>> = {
  healthz: async () => textResponse(200, 'ok'),
  pods: async (host) => jsonResponse(podList(host.pods())),
  runningpods: async (host) => jsonResponse(podList(await runningPods(host))),
  containerLogs: (host, request, [namespace = '', pod = '', container = '']) =>
    containerLogs(host, { namespace, pod, container, query: readQuery(request.search), signal: request.signal }),
  stats: async (host, _, [kind]) =>
    kind === 'summary' ? jsonResponse(JSON.stringify(await statsSummary(host))) : notFound(),
  metrics: async (host, _, [kind]) => {
    const text = kind === undefined || kind === 'resource' ? await resourceMetrics(host) : '';
    return { ...textResponse(200, text), headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } };
  },
  exec: openSession,
  attach: openSession,
  run: openSession,
  portForward: async (_, request) =>
    notImplemented("this node's runtime has no ports to forward: its containers are not really there", request),
};

/** The kubelet's own API: what the API server asks it for logs and sessions, and monitoring for figures. */
export const kubeletHandler =
  (host: KubeletHost): ApiHandler =>
  async (request) => {
    const [first = '', ...rest] = request.path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
    if (!Object.hasOwn(routes, first)) return notFound();
    return await routes[first]!(host, request, rest);
  };

/**
 * Differs from upstream, which answers in plain text. kubectl before v1.36 tries to read an answer as a Status in YAML: a text with a colon
 * becomes an empty one, and it prints `Error from server:` and nothing after it.
 */
const notImplemented = (message: string, request: ApiRequest): ApiResponse =>
  jsonErrorResponse(
    fromStatus({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 501 }),
    request,
  );

const notFound = (): ApiResponse => textResponse(404, '404 page not found\n');

const podList = (items: readonly Pod[]): string =>
  writeJson({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });

/** As the runtime knows them: without anything but names and images. */
async function runningPods({ runtime }: KubeletHost): Promise<Pod[]> {
  return (await runtime.listPods()).flatMap(({ uid, name, namespace, containers }) => {
    const running = containers.filter(({ state }) => state === 'Running');
    if (running.length === 0) return [];
    const spec = { containers: running.map((container) => ({ name: container.name, image: container.image })) };
    return { metadata: { name, namespace, uid }, spec, status: {} };
  });
}

/** Sessions are the runtime's; what it says against one is what the person reads. */
async function openSession(host: KubeletHost, request: ApiRequest, parts: readonly string[]): Promise<ApiResponse> {
  const [namespace = '', name = '', ...rest] = parts;
  const container = rest.at(-1) ?? '';
  const pod = findPod(host, namespace, name);
  if (!pod) return textResponse(404, 'pod does not exist');
  const { containers } = await host.runtime.podStatus(pod.metadata.uid ?? '');
  const running = containers.find((candidate) => candidate.name === container && candidate.state === 'Running');
  if (!running) return textResponse(500, `container not found ("${container}")`);
  const query = readQuery(request.search);
  try {
    const { url } = await host.runtime.service.exec({
      containerId: running.id,
      cmd: query.getAll('command'),
      tty: query.get('tty') === '1',
    });
    return notImplemented(`sessions at ${url} are not forwarded yet`, request);
  } catch (error) {
    return notImplemented(errorDetails(error), request);
  }
}
