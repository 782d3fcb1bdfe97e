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
  /** Answers those who may ask. */
  readonly handler: ApiHandler;
  readonly logger: Logger;
}

/** A port for everybody who can reach it: plain HTTP/1.1, as most programs of a cluster have for their health and metrics. */
export interface PlainServerOptions extends ServerOptions {
  /** 0 takes a free port. */
  readonly plain: { readonly bindAddress: string; readonly port: number };
}

/** A port with TLS. Whoever asks is known, and let in, as the API server of the cluster says. */
export interface SecuredServerOptions extends ServerOptions {
  /** Names the program to the API server, and the files of its certificate: `kube-controller-manager`. */
  readonly component: string;
  readonly settings: ServingSettings;
  readonly clock: Clock;
  /** Counts the requests to the API server. */
  readonly metrics: Metrics;
  readonly env: Environment;
}

export type ComponentServerOptions = PlainServerOptions | SecuredServerOptions;

export interface ComponentServer {
  /** Where it listens. */
  readonly port: number;
  /** Takes no more requests, and cuts what is under way. */
  close(): Promise<void>;
}

/** What is to be undone in the end, the last first. */
type Undo = () => void | Promise<void>;

/**
 * The port of a program, with TLS and rights or without. Resolves when it listens; throws an Error when what is given cannot be used,
 * or the port is taken.
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

/** Nobody waits for the metrics of what ends. */
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

/** The API server that a kubeconfig names, or the one whose pod this is; undefined when there is neither. */
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
    // Others wait for the answers: no limit that would be felt.
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
