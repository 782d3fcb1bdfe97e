import type { ClientSet, Clock, Logger } from '@coxswain/client';
import { ComponentHealth } from '@coxswain/component-base/health';
import { type ApiHandler, jsonErrorResponse, notFoundResponse, readQuery } from '@coxswain/component-base/http';
import { type ComponentServer, startComponentServer } from '@coxswain/component-base/serving';
import type { KubeletMetrics, ServedRequest } from '../metrics/kubelet-metrics.ts';
import { authorizedHandler } from './authorized-handler.ts';
import { certificateOfFiles } from './certificate-of-files.ts';
import { kubeletHandler } from './kubelet-handler.ts';
import type { KubeletHost } from './kubelet-host.ts';
import type { KubeletPages } from './kubelet-pages.ts';
import { measuredHandler } from './measured-handler.ts';
import { SecuredPort } from './secured-port.ts';
import { type ServerAccess, serverAccess } from './server-access.ts';
import type { KubeletServerSettings } from './server-settings.ts';
import type { ServingCertificateSource } from './serving-certificate-source.ts';

export interface KubeletServerOptions {
  readonly host: KubeletHost;
  readonly settings: KubeletServerSettings;
  readonly pages: KubeletPages;
  /** Reviews tokens and permissions. Undefined for a kubelet without an API server. */
  readonly clients: ClientSet | undefined;
  /** With `serverTLSBootstrap`. Without, the certificate is that of the settings' files, or a self-signed one. */
  readonly certificate?: ServingCertificateSource;
  /** Where a self-signed certificate is kept: `/var/lib/kubelet/pki`. Empty: nowhere. */
  readonly certDirectory: string;
  /** The name in a self-signed certificate. */
  readonly hostName: string;
  /** The directory of the node's logs: `/var/log`. */
  readonly systemLogs: string;
  /** Counts requests. */
  readonly metrics?: Pick<KubeletMetrics, 'requestBegan'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface KubeletServer {
  /** The port of the API. 0 as long as it waits for its first certificate. */
  readonly port: number;
  /** Stops accepting requests and ends those in progress. */
  close(): Promise<void>;
}

type Undo = () => void | Promise<void>;

/**
 * Starts the ports of a kubelet: its API over HTTPS, a read-only one over HTTP if it is configured, and one for the health of the process.
 * Resolves when they listen. Rejects with an Error if the settings cannot be used or a port is taken; then none is open.
 */
export async function startKubeletServer(options: KubeletServerOptions): Promise<KubeletServer> {
  const { settings, logger } = options;
  const undo: Undo[] = [];
  const close = async (): Promise<void> => {
    for (const each of undo.splice(0).reverse()) await each();
  };
  const plain = async (port: number, bindAddress: string, handler: ApiHandler): Promise<void> => {
    if (port === 0) return;
    const server = await startComponentServer({ plain: { bindAddress, port }, handler, logger });
    undo.push(() => server.close());
  };
  try {
    const secured = await startSecured(options, undo);
    const readOnly = kubeletHandler(options.host, { pages: options.pages.figures, debugging: false });
    await plain(settings.readOnlyPort, settings.address, measured(options, 'readonly', readOnly));
    await plain(settings.healthzPort, settings.healthzBindAddress, healthHandler());
    return {
      get port() {
        return secured.port;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function measured(
  { metrics, clock }: KubeletServerOptions,
  serverType: ServedRequest['serverType'],
  handler: ApiHandler,
): ApiHandler {
  return metrics ? measuredHandler(handler, { metrics, serverType, clock }) : handler;
}

/** Opens the port for the health of the process alone, for a kubelet without an API. Undefined if none is configured. */
export async function startHealthPort(
  {
    healthzPort: port,
    healthzBindAddress: bindAddress,
  }: Pick<KubeletServerSettings, 'healthzPort' | 'healthzBindAddress'>,
  logger: Logger,
): Promise<ComponentServer | undefined> {
  if (port === 0) return undefined;
  return await startComponentServer({ plain: { bindAddress, port }, handler: healthHandler(), logger });
}

/** Tells that the process is there, and no more: everything else is at the API's own `/healthz`. */
function healthHandler(): ApiHandler {
  const health = new ComponentHealth({ endpoints: { healthz: [] }, hasSubpaths: true });
  return async ({ path, search }) => (await health.respond(path, readQuery(search))) ?? notFoundResponse();
}

/** Opens the API's port, now or when there is a certificate. */
async function startSecured(options: KubeletServerOptions, undo: Undo[]): Promise<SecuredPort> {
  const { settings, clock, logger } = options;
  const access = await serverAccess(options);
  const port = new SecuredPort({
    settings,
    logger,
    access,
    handler: measured(options, 'readwrite', securedHandler(options, access)),
  });
  undo.push(() => port.close());
  const source = options.certificate ?? (await certificateOfFiles(options));
  const first = source.current();
  if (first) await port.use(first);
  else logger.info('The API is served when there is a serving certificate');
  const unsubscribe = source.subscribe((pair) => {
    port.use(pair).catch((error: unknown) => logger.error('Failed to use the serving certificate', error));
  });
  undo.push(unsubscribe);
  if (access.authorities) undo.push(access.authorities.follow(() => port.setClientCAs(), { clock, logger }));
  return port;
}

function securedHandler(
  { host, settings, pages, systemLogs, logger }: KubeletServerOptions,
  access: ServerAccess,
): ApiHandler {
  const handler = kubeletHandler(host, {
    pages: settings.enableDebuggingHandlers ? pages.debugging : pages.figures,
    debugging: settings.enableDebuggingHandlers,
    systemLogs: settings.enableSystemLogHandler ? systemLogs : undefined,
  });
  const authorized = authorizedHandler(handler, { nodeName: host.nodeName, logger, ...access });
  return (request) =>
    authorized(request).catch((error: unknown) => {
      if (!request.signal.aborted) logger.error('Failed to answer a request', error, { path: request.path });
      return jsonErrorResponse(error, request);
    });
}
