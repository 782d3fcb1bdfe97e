import { networkInterfaces } from 'node:os';
import { messageOf } from '@coxswain/apimachinery/errors';
import { durationToMs } from '@coxswain/apimachinery/time';
import { ClientSet, type Clock, type Logger, type Metrics } from '@coxswain/client';
import { type Environment, inClusterConfig, loadRestConfig, NotInClusterError } from '@coxswain/client/kubeconfig';
import { loadKeyPair } from '@coxswain/client/x509';
import { followFiles } from '../files/index.ts';
import { type ApiHandler, jsonErrorResponse, Listener, listenHost } from '../http/index.ts';
import { userAgentOf } from '../version/index.ts';
import { Authorities } from './authorities.ts';
import { DelegatedAuthenticator } from './delegated-authenticator.ts';
import { delegatedAuthorizer } from './delegated-authorizer.ts';
import { securedHandler } from './secured-handler.ts';
import { loadNamedCertificate, servingCertificate } from './serving-certificate.ts';
import type { ServingSettings } from './serving-flags.ts';
import { tlsCiphers, tlsMinVersion } from './tls-settings.ts';

interface ServerOptions {
  /** Handles the requests that are authorized. */
  readonly handler: ApiHandler;
  readonly logger: Logger;
}

/** An unprotected port: plain HTTP/1.1, as most programs in a cluster use for their health and metrics. */
export interface PlainServerOptions extends ServerOptions {
  /** 0: a free port. */
  readonly plain: { readonly bindAddress: string; readonly port: number };
}

/** A TLS port. The cluster's API server authenticates and authorizes its clients. */
export interface SecuredServerOptions extends ServerOptions {
  /** The program's name in the User-Agent, and of its certificate files: `kube-controller-manager`. */
  readonly component: string;
  readonly settings: ServingSettings;
  readonly clock: Clock;
  /** Receives metrics of the requests to the API server. */
  readonly metrics: Metrics;
  readonly env: Environment;
}

export type ComponentServerOptions = PlainServerOptions | SecuredServerOptions;

export interface ComponentServer {
  /** The port it listens on. */
  readonly port: number;
  /** Stops accepting requests and aborts those in progress. */
  close(): Promise<void>;
}

/** Cleanup functions, run in reverse order. */
type Undo = () => void | Promise<void>;

/**
 * Starts the port of a program, with TLS and authorization or without. Resolves when it listens. Throws an Error when the options cannot be
 * used or the port is in use.
 */
export function startComponentServer(options: ComponentServerOptions): Promise<ComponentServer> {
  return 'plain' in options ? startPlainServer(options) : startSecuredServer(options);
}

async function startPlainServer({ plain, handler, logger }: PlainServerOptions): Promise<ComponentServer> {
  const listener = new Listener({
    host: listenHost(plain.bindAddress, networkInterfaces()),
    port: plain.port,
    handler: (request) =>
      handler(request).catch((error: unknown) => {
        logger.error('Failed to answer a request', error);
        return jsonErrorResponse(error, request);
      }),
  });
  const { port } = await listener.listen();
  return { port, close: () => closeNow(listener) };
}

/** Aborts requests in progress: the metrics of a stopping process are not needed. */
async function closeNow(listener: Listener): Promise<void> {
  const closed = listener.close();
  listener.force();
  await closed;
}

async function startSecuredServer(options: SecuredServerOptions): Promise<ComponentServer> {
  const undo: Undo[] = [];
  const close = async (): Promise<void> => {
    for (const each of undo.splice(0).reverse()) await each();
  };
  try {
    const { handler, authorities, authenticator } = await delegatingHandler(options, undo);
    const { listener, port } = await listen(options, handler, authorities, undo);
    undo.push(
      authorities.follow(() => {
        authenticator.setAuthorities(authorities.current);
        listener.setClientCAs(authorities.pem);
      }),
    );
    return { port, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface DelegatingHandler {
  readonly handler: ApiHandler;
  readonly authorities: Authorities;
  readonly authenticator: DelegatedAuthenticator;
}

async function delegatingHandler(options: SecuredServerOptions, undo: Undo[]): Promise<DelegatingHandler> {
  const { settings, clock, logger } = options;
  const now = (): Date => new Date(clock.now());
  const reviewer = await delegate(settings.authenticationKubeconfig, 'authentication', options, undo);
  const authorities = await Authorities.load({ settings, clock, logger, ...(reviewer && { clients: reviewer }) });
  const authenticator = new DelegatedAuthenticator({
    ...(reviewer && { clients: reviewer }),
    cacheTtlMs: durationToMs(settings.authenticationTokenWebhookCacheTtl),
    authorities: authorities.current,
    now,
  });
  const clients = await delegate(settings.authorizationKubeconfig, 'authorization', options, undo);
  if (!clients)
    logger.warn("No authorization-kubeconfig provided, so SubjectAccessReview of authorization tokens won't work.");
  const authorizer = delegatedAuthorizer({
    ...(clients && { clients }),
    alwaysAllowPaths: settings.authorizationAlwaysAllowPaths,
    authorizedTtlMs: durationToMs(settings.authorizationWebhookCacheAuthorizedTtl),
    unauthorizedTtlMs: durationToMs(settings.authorizationWebhookCacheUnauthorizedTtl),
    now,
  });
  const onError = (error: unknown): void => logger.error('Failed to answer a request', error);
  const handler = securedHandler(options.handler, { authenticator, authorizer, onError });
  return { handler, authorities, authenticator };
}

/** Returns a client for the API server of the kubeconfig, or of the cluster that this pod runs in; undefined when there is neither. */
async function delegate(
  path: string | undefined,
  purpose: string,
  { component, clock, logger, metrics, env }: SecuredServerOptions,
  undo: Undo[],
): Promise<ClientSet | undefined> {
  try {
    const config = path
      ? await loadRestConfig({ path, env, clock, logger })
      : await inClusterConfig({ env, clock, logger });
    // High rate limits, because clients wait for these requests.
    const limits = { qps: 200, burst: 400 };
    const clients = ClientSet.forConfig(
      { ...config, ...limits, clock, userAgent: userAgentOf(component) },
      { logger, metrics },
    );
    undo.push(() => clients.rest.close());
    return clients;
  } catch (cause) {
    if (cause instanceof NotInClusterError) return undefined;
    const why = messageOf(cause);
    throw new Error(`failed to get delegated ${purpose} kubeconfig: ${why}`, { cause });
  }
}

async function listen(
  options: SecuredServerOptions,
  handler: ApiHandler,
  authorities: Authorities,
  undo: Undo[],
): Promise<{ readonly listener: Listener; readonly port: number }> {
  const { component, settings, clock, logger } = options;
  const now = (): Date => new Date(clock.now());
  const { tlsCertFile, tlsPrivateKeyFile, bindAddress, securePort } = settings;
  const { pair, files } = await servingCertificate({
    ...(tlsCertFile && tlsPrivateKeyFile && { files: { certificateFile: tlsCertFile, keyFile: tlsPrivateKeyFile } }),
    directory: settings.certDir,
    name: component,
    bindAddress,
    now,
  });
  const ciphers = tlsCiphers(settings.tlsCipherSuites);
  const listener = new Listener({
    host: listenHost(bindAddress, networkInterfaces()),
    port: securePort,
    tls: {
      cert: pair.certificatePem,
      key: pair.keyPem,
      minVersion: tlsMinVersion(settings.tlsMinVersion || 'VersionTLS12'),
      ...(ciphers && { ciphers }),
      byName: await Promise.all(settings.tlsSniCertKey.map((named) => loadNamedCertificate(named, now))),
      clientCAs: authorities.pem,
    },
    handler,
    http1Only: settings.disableHttp2Serving,
    ...(settings.http2MaxStreamsPerConnection > 0 && { maxConcurrentStreams: settings.http2MaxStreamsPerConnection }),
  });
  const { port } = await listener.listen();
  undo.push(() => closeNow(listener));
  if (files) {
    const followed = followFiles({
      files: [files.certificateFile, files.keyFile],
      initial: [pair.certificatePem, pair.keyPem],
      onChange: async () => {
        const { certificatePem: cert, keyPem: key } = await loadKeyPair(files, now);
        listener.setCertificate({ cert, key });
      },
      onError: (error) => logger.error('Failed to renew the serving certificate', error),
    });
    undo.push(() => followed.close());
  }
  return { listener, port };
}
