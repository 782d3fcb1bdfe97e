import type { Pod } from '@coxswain/api/core/v1';
import { writeJson } from '@coxswain/apimachinery/codec/json';
import { messageOf } from '@coxswain/apimachinery/errors';
import {
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  jsonResponse,
  notFoundResponse,
  readQuery,
  textResponse,
} from '@coxswain/component-base/http';
import { textFormat } from '@coxswain/component-base/metrics';
import type { SessionHost, SessionTarget } from '../sessions/session-host.ts';
import { attach, exec, portForward, run } from '../sessions/sessions.ts';
import { CadvisorMetrics } from '../stats/cadvisor-metrics.ts';
import { resourceMetrics } from '../stats/resource-metrics.ts';
import { containerLogs } from './container-logs.ts';
import { findPod, type KubeletHost } from './kubelet-host.ts';
import { type PathParameters, type Route, Routes } from './routes.ts';
import { systemLogs } from './system-logs.ts';

export interface KubeletHandlerOptions {
  /** Serves what has no route here, such as health and metrics of the process. Without, there is no more than a `/healthz`. */
  readonly pages?: ApiHandler;
  /** Whether what runs in pods can be read and changed. True by default. */
  readonly debugging?: boolean;
  /** The directory of the node's logs: `/var/log`. Not served if undefined. */
  readonly systemLogs?: string | undefined;
}

/** The kubelet's own API: what the API server asks it for logs and sessions, and monitoring for figures. */
export function kubeletHandler(host: KubeletHost, options: KubeletHandlerOptions = {}): ApiHandler {
  const { pages = fewPages(host), debugging = true } = options;
  const routes = new Routes([
    ...figureRoutes(host),
    ...(debugging ? [...debuggingRoutes(host), ...systemLogRoutes(options.systemLogs)] : disabledRoutes),
  ]);
  return async (request) => (await routes.respond(request)) ?? (await pages(request));
}

const fewPages =
  (host: KubeletHost): ApiHandler =>
  async ({ path }) => {
    if (path === '/healthz') return textResponse(200, 'ok');
    return path === '/metrics' ? metricsText(await resourceMetrics(host.stats, host.logger)) : notFoundResponse();
  };

const anyMethod = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const disabled = (path: string, text: string): Route[] =>
  [path, `${path}/*`].map((each) => ({
    methods: anyMethod,
    path: each,
    isPage: true,
    respond: () => textResponse(405, `${text}\n`),
  }));

const disabledRoutes: readonly Route[] = [
  '/run',
  '/exec',
  '/attach',
  '/portForward',
  '/containerLogs',
  '/runningpods',
  '/debug/pprof',
  '/logs',
].flatMap((path) => disabled(path, 'Debug endpoints are disabled.'));

function systemLogRoutes(directory: string | undefined): Route[] {
  if (directory === undefined) return disabled('/logs', 'logs endpoint is disabled.');
  return ['/logs', '/logs/*'].map((path) => ({
    methods: get,
    path,
    respond: (request, parameters) => systemLogs(directory, parameters['*'] ?? '', request),
  }));
}

const get = ['GET'];
const getAndPost = ['GET', 'POST'];

function figureRoutes(host: KubeletHost): Route[] {
  const cadvisor = new CadvisorMetrics(host.runtime.service, host.stats);
  return [
    { methods: get, path: '/pods', respond: () => jsonResponse(podList(host.pods())) },
    {
      methods: getAndPost,
      path: '/stats/summary',
      respond: (request) => summary(host, request),
    },
    metricsPage('/metrics/resource', ({ signal }) => resourceMetrics(host.stats, host.logger, signal)),
    metricsPage('/metrics/cadvisor', ({ signal }) => cadvisor.text(signal)),
    metricsPage('/metrics/probes', () => textFormat(host.probeMetrics?.families ?? [])),
  ];
}

const metricsPage = (path: string, text: (request: ApiRequest) => string | Promise<string>): Route => ({
  methods: anyMethod,
  path,
  isPage: true,
  respond: async (request) => metricsText(await text(request)),
});

async function summary({ stats, logger }: KubeletHost, { search, signal }: ApiRequest): Promise<ApiResponse> {
  const only = readQuery(search).getAll('only_cpu_and_memory');
  try {
    const detail = only.length === 1 && only[0] === 'true' ? 'cpu and memory' : 'all';
    return jsonResponse(JSON.stringify(await stats.summary(detail, signal)));
  } catch (error) {
    signal.throwIfAborted();
    logger.error('Failed to collect the figures of the node', error);
    return textResponse(500, `Internal Error: ${messageOf(error)}`);
  }
}

const metricsText = (text: string): ApiResponse => ({
  ...textResponse(200, text),
  headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
});

/** What lets its users read and change what runs in pods. */
function debuggingRoutes(host: KubeletHost): Route[] {
  const inPod = '{namespace}/{pod}';
  return [
    ...sessions(host, 'exec', getAndPost, exec),
    ...sessions(host, 'attach', getAndPost, attach),
    ...sessions(host, 'run', ['POST'], run),
    ...[`/portForward/${inPod}`, `/portForward/${inPod}/{uid}`].map((path) => ({
      methods: getAndPost,
      path,
      respond: async (request: ApiRequest, parameters: PathParameters) => {
        const pod = podOf(host, parameters);
        if (!pod) return noSuchPod();
        const isOther = parameters.uid !== undefined && parameters.uid !== pod.metadata.uid;
        return isOther ? textResponse(404, 'pod not found') : await portForward(host, request, { pod });
      },
    })),
    {
      methods: get,
      path: `/containerLogs/${inPod}/{container}`,
      respond: (request, { namespace = '', pod = '', container = '' }) =>
        containerLogs(host, { namespace, pod, container, search: request.search, signal: request.signal }),
    },
    {
      methods: get,
      path: '/runningpods',
      respond: async () => jsonResponse(podList(await runningPods(host))),
    },
  ];
}

type Session = (host: SessionHost, request: ApiRequest, target: SessionTarget) => Promise<ApiResponse>;

/** The uid that some clients put before the container's name is not needed. */
function sessions(host: KubeletHost, name: string, methods: readonly string[], open: Session): Route[] {
  const respond: Route['respond'] = async (request, parameters) => {
    const pod = podOf(host, parameters);
    return pod ? await open(host, request, { pod, container: parameters.container ?? '' }) : noSuchPod();
  };
  return ['{namespace}/{pod}/{container}', '{namespace}/{pod}/{uid}/{container}'].map((rest) => ({
    methods,
    path: `/${name}/${rest}`,
    respond,
  }));
}

const podOf = (host: KubeletHost, { namespace = '', pod = '' }: PathParameters): Pod | undefined =>
  findPod(host, namespace, pod);

const noSuchPod = (): ApiResponse => textResponse(404, 'pod does not exist');

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
