import type {
  NodeProxyOptions,
  PodAttachOptions,
  PodExecOptions,
  PodLogOptions,
  PodPortForwardOptions,
  PodProxyOptions,
  ServiceProxyOptions,
} from '@coxswain/api/core/v1';
import { newBadRequest } from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import {
  readPodAttachOptions,
  readPodExecOptions,
  readPodLogOptions,
  readPodPortForwardOptions,
} from './connect-options.ts';
import { podLog } from './pod-log.ts';
import { podAttach, podExec, podPortForward } from './pod-streams.ts';
import type { ProxyDependencies } from './proxy-dependencies.ts';
import { nodeLocation, type ProxyLocation, podLocation, serviceLocation } from './proxy-location.ts';
import { proxyPath, reverseProxy } from './reverse-proxy.ts';

/** The options of a connection, which admission plug-ins get. */
type ConnectOptions =
  | NodeProxyOptions
  | PodAttachOptions
  | PodExecOptions
  | PodLogOptions
  | PodPortForwardOptions
  | PodProxyOptions
  | ServiceProxyOptions;

/** A subresource whose requests are proxied. */
export interface ConnectSubresource {
  /** HTTP methods, in upper case. */
  readonly methods: readonly string[];
  /** Parses a request. Throws BadRequest. Admission runs between this and `connect`. */
  begin(context: RequestContext): PendingConnect;
}

interface PendingConnect {
  readonly options: ConnectOptions;
  /** Proxies the request. Throws upstream's ApiErrors. */
  connect(deps: ProxyDependencies): Promise<ApiResponse>;
}

type Connect<O> = (context: RequestContext, options: O, deps: ProxyDependencies) => Promise<ApiResponse>;

const entry = <O extends ConnectOptions>(
  methods: readonly string[],
  read: (context: RequestContext) => O,
  connect: Connect<O>,
): ConnectSubresource => ({
  methods,
  begin: (context) => {
    const options = read(context);
    return { options, connect: (deps) => connect(context, options, deps) };
  },
});

const refuseDryRun = ({ query }: RequestContext): void => {
  if (query.has('dryRun')) throw newBadRequest('dryRun is not supported');
};

const upgrade = <O extends ConnectOptions>(read: (query: URLSearchParams) => O, connect: Connect<O>) =>
  entry(
    ['GET', 'POST'],
    (context) => {
      refuseDryRun(context);
      return read(context.query);
    },
    connect,
  );

const proxy = (kind: NonNullable<ConnectOptions['kind']> & `${string}ProxyOptions`, locate: ProxyLocation) =>
  entry(
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
    (context): ConnectOptions => {
      refuseDryRun(context);
      return { kind, apiVersion: 'v1', path: proxyPath(context) };
    },
    async (context, _, deps) => reverseProxy(context, await locate(context, deps), proxyPath(context), deps.dialer),
  );

/** By `resource/subresource` of the core group. */
export const connectSubresources: ReadonlyMap<string, ConnectSubresource> = new Map([
  ['pods/log', entry(['GET'], ({ query }) => readPodLogOptions(query), podLog)],
  ['pods/exec', upgrade(readPodExecOptions, podExec)],
  ['pods/attach', upgrade(readPodAttachOptions, podAttach)],
  ['pods/portforward', upgrade(readPodPortForwardOptions, podPortForward)],
  ['pods/proxy', proxy('PodProxyOptions', podLocation)],
  ['services/proxy', proxy('ServiceProxyOptions', serviceLocation)],
  ['nodes/proxy', proxy('NodeProxyOptions', nodeLocation)],
]);
