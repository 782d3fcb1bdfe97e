import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { durationToMs } from '@coxswain/apimachinery';
import { type Clock, datesOf, systemClock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import { type Logger, silentLogger, type Verbosity } from '@coxswain/apimachinery/log';
import { type Random, systemRandom } from '@coxswain/apimachinery/random';
import { type EventLoop, systemEventLoop } from '@coxswain/apimachinery/turns';
import { camelCase, OptionsError, withDefaults } from '@coxswain/component-base';
import { parseFeatureGates } from '@coxswain/component-base/features';
import { listenHost, type NetworkInterfaces } from '@coxswain/component-base/http';
import { tlsCiphers, tlsMinVersion } from '@coxswain/component-base/serving';
import type { Store } from '@coxswain/storage';
import { type AdmissionConfiguration, loadAdmissionConfiguration } from '../admission/admission-configuration.ts';
import { enabledAdmissionPlugins, enabledByAuthorizers } from '../admission/admission-plugins.ts';
import type { AuditLogFormat, AuditLogMode } from '../audit/audit-log.ts';
import { type Audit, openAudit } from '../audit/index.ts';
import { standardRequestHeaders } from '../authentication/index.ts';
import { type AdminKubeconfig, kubeletClientUser, servingNames } from '../certificates/index.ts';
import { type Encryption, loadEncryption } from '../encryption/index.ts';
import { type Dialer, SocketDialer, withLocalKubelets, withoutNobody } from '../proxy/index.ts';
import type { ApiServerConfig, FollowedFile } from '../server/api-server-config.ts';
import type { SigningKey } from '../serviceaccount/index.ts';
import { PortRange } from '../services/index.ts';
import { userAgent } from '../version/index.ts';
import { accessOf, authorizationOf } from './access.ts';
import { defaultAdvertiseAddress, localHost } from './addresses.ts';
import { type ApiServerOptions, apiServerFlags, type CompletedOptions } from './api-server-flags.ts';
import {
  clientAuthoritiesPem,
  clientAuthorityFiles,
  FileAuthorities,
  servingCertificateFiles,
} from './followed-certificates.ts';
import { once } from './once.ts';
import { openConfiguredStore } from './open-configured-store.ts';
import { readServerFiles, type ServerFiles } from './server-files.ts';
import { validateOptions } from './validate-options.ts';

/** The environment of a server: everything that is not an option. All properties have defaults. */
export interface ServerEnvironment {
  /** Default: nothing is logged. */
  readonly logger?: Logger;
  /** The verbosity of the logger, which `/debug/flags/v` sets. */
  readonly verbosity?: Verbosity;
  readonly clock?: Clock;
  /** The source of generated names, uids and jitter, but not of keys and tokens; the system's by default. */
  readonly random?: Random;
  /** The event loop that long work yields to; the thread's own by default. */
  readonly eventLoop?: EventLoop;
  /**
   * Whether the server listens on a port. Otherwise it is reached in-process only. Default: true, except with `memory` and without
   * `securePort`.
   */
  readonly listen?: boolean;
  /** The store, or a function that opens it. Replaces the options of the store. The server closes it. */
  readonly store?: Store | ((authority: ServerAuthority) => Promise<Store>);
  /** Returns the dialer of a kubelet in this process by its node's name. Such kubelets are called without a socket. */
  readonly localKubelets?: (node: string) => Dialer | undefined;
  /**
   * Returns whether nothing listens at an address, such as those of simulated pods. Connections to it are refused instead of tried in
   * the network of this machine.
   */
  readonly nobodyAt?: (host: string) => boolean;
  /** Returns whether a component runs in this process, and hence is healthy. Others are probed at their ports, as upstream. */
  readonly isLocal?: (component: 'scheduler' | 'controller-manager') => boolean;
  /** The version at `/version`, such as `v1.36.4-vendor.1`. Default: ours. */
  readonly gitVersion?: string;
}

/** The signing keys of the server, for components in the same process. */
export interface ServerAuthority {
  /** The CA of client certificates, which may have no key. The server trusts it unless `--client-ca-file` names others. */
  readonly ca: ServerFiles['identity']['ca'];
  /** The CA certificates of the serving certificate, as PEM. */
  readonly servingTrust: string;
  /** The key that signs service account tokens. */
  readonly serviceAccountKey: SigningKey;
}

export interface CompletedServer {
  readonly config: ApiServerConfig;
  readonly authority: ServerAuthority;
  /** Returns the URL at which this machine reaches the server. */
  readonly url: (port: number) => string;
  /** Returns the kubeconfig of the first administrator. Undefined when `--client-ca-file` does not contain its CA. */
  readonly adminKubeconfig?: (port: number) => AdminKubeconfig;
  /** The file for the admin kubeconfig. Undefined when it must not be written. */
  readonly kubeconfigPath?: string;
}

/** The time for which a stopping server waits for running requests. */
const shutdownGraceMs = 5_000;
const megabyte = 1024 * 1024;

/**
 * Makes a server configuration from options: sets defaults, validates, reads files, generates certificates, and opens the store and
 * the audit log, which the server closes. Throws an OptionsError with all problems, or what `openConfiguredStore` throws; nothing
 * is left open then.
 */
export async function completeOptions(
  given: ApiServerOptions,
  environment: ServerEnvironment = {},
): Promise<CompletedServer> {
  const {
    logger = silentLogger,
    clock = systemClock,
    random = systemRandom,
    eventLoop = systemEventLoop,
    listen = !given.memory || given.securePort !== undefined,
  } = environment;
  const now = datesOf(clock);
  const options = withDefaults(apiServerFlags, given);
  const problems = validateOptions(options);
  if (problems.length > 0) throw new OptionsError(problems);

  const interfaces = networkInterfaces();
  const advertiseAddress = options.advertiseAddress || defaultAddress(options, interfaces);
  const directory = options.certDir || (options.dataDir && join(options.dataDir, 'pki'));
  const names = servingNames({
    hostname: hostname(),
    addresses: [options.bindAddress, advertiseAddress],
    serviceClusterIPRanges: options.serviceClusterIpRange,
    ...(options.externalHostname && { extraNames: [options.externalHostname] }),
  });
  const files = await readServerFiles(options, { ...(directory && { directory }), names, now, logger });
  const admissionConfiguration = await admissionConfigurationOf(options);
  const [access, authorization] = await Promise.all([
    accessOf(options, { now, logger }),
    authorizationOf(options, now),
  ]).catch((error: Error) => {
    throw new OptionsError([error.message]);
  });
  const { authentication, clientCAs, followedFiles } = authenticationOf(options, files, now);

  const { ca, servingTrust, serviceAccountKey } = files.identity;
  const authority = { ca, servingTrust, serviceAccountKey: files.signingKey ?? serviceAccountKey };
  const { store: keptIn = () => openConfiguredStore(options, { clock, eventLoop, logger }) } = environment;
  const store = typeof keptIn === 'function' ? await keptIn(authority) : keptIn;
  let audit: Audit | undefined;
  let encryption: Encryption | undefined;
  try {
    audit = await auditOf(options, logger, clock);
    encryption = await encryptionOf(options, logger, { now, uuid: random.uuid });
  } catch (error) {
    await audit?.log.close();
    await store.close();
    throw new OptionsError([messageOf(error)]);
  }
  const config: ApiServerConfig = {
    store,
    storePrefix: options.etcdPrefix.replace(/\/$/, ''),
    compactionIntervalMs: durationToMs(options.etcdCompactionInterval),
    ...(listen && { listen: listenOf(options, files, interfaces, clientCAs) }),
    advertiseAddress,
    ...(options.externalHostname && { externalHost: options.externalHostname }),
    authentication: { ...authentication, ...access },
    authorizationModes: [],
    authorization,
    followedFiles,
    serviceAccounts: serviceAccountsOf(options, files),
    dialer: dialerOf(files, environment),
    // As upstream, users who configure a client certificate for kubelets must grant its user the permissions.
    ...(!files.kubeletClient && { kubeletClientUser }),
    ...(environment.nobodyAt && { nobodyAt: environment.nobodyAt }),
    ...(environment.isLocal && { isLocal: environment.isLocal }),
    ...(environment.gitVersion && { gitVersion: environment.gitVersion }),
    proxyClient: proxyClientOf(files),
    ...settingsOf(options),
    enabledAdmissionPlugins: enabledByAuthorizers(
      options.enableAdmissionPlugins,
      authorization.authorizers.map(({ type }) => type),
    ),
    admissionConfiguration,
    ...(audit && { audit }),
    ...(encryption && { encryption }),
    hostname: hostname(),
    logger,
    clock,
    random,
    eventLoop,
    ...(environment.verbosity && { verbosity: environment.verbosity }),
  };
  const url = (port: number): string => `https://${localHost(options.bindAddress)}:${port}`;
  return { config, authority, url, ...administratorOf(options, files, url, logger) };
}

const defaultAddress = (options: CompletedOptions, interfaces: NetworkInterfaces): string => {
  const family = options.serviceClusterIpRange[0]?.includes(':') ? 'IPv6' : 'IPv4';
  return defaultAdvertiseAddress(options.bindAddress, family, interfaces);
};

/** Returns the values of all flags, by flag name. */
function flagValues(options: CompletedOptions): Record<string, unknown> {
  const values = new Map<string, unknown>(Object.entries(options));
  return Object.fromEntries(Object.keys(apiServerFlags).map((name) => [name, values.get(camelCase(name))]));
}

/** The settings that need no files. */
const settingsOf = (options: CompletedOptions) => ({
  features: parseFeatureGates(options.featureGates),
  flags: flagValues(options),
  runtimeConfig: options.runtimeConfig,
  serviceClusterIPRanges: options.serviceClusterIpRange,
  serviceNodePortRange: PortRange.parse(options.serviceNodePortRange),
  ...(options.kubernetesServiceNodePort > 0 && { kubernetesServiceNodePort: options.kubernetesServiceNodePort }),
  leaveEndpoints: options.endpointReconcilerType === 'none',
  routeToEndpoints: options.enableAggregatorRouting,
  // Upstream, this controller is part of kube-controller-manager.
  policyTypeChecking: true,
  kubeletPreferredAddressTypes: options.kubeletPreferredAddressTypes,
  disabledAdmissionPlugins: options.disableAdmissionPlugins,
  defaultTolerationSeconds: {
    notReady: options.defaultNotReadyTolerationSeconds,
    unreachable: options.defaultUnreachableTolerationSeconds,
  },
  allowPrivileged: options.allowPrivileged,
  eventTtlSeconds: Math.floor(durationToMs(options.eventTtl) / 1000),
  maxRequestsInFlight: options.maxRequestsInflight,
  maxMutatingRequestsInFlight: options.maxMutatingRequestsInflight,
  priorityAndFairness: options.enablePriorityAndFairness,
  profiling: options.profiling,
  requestTimeoutMs: durationToMs(options.requestTimeout),
  corsAllowedOrigins: options.corsAllowedOrigins,
  minRequestTimeoutMs: options.minRequestTimeout * 1000,
  shutdownDelayMs: durationToMs(options.shutdownDelayDuration),
  shutdownGraceMs,
});

function listenOf(
  options: CompletedOptions,
  { identity, byName }: ServerFiles,
  interfaces: NetworkInterfaces,
  clientCAs: Authentication['clientCAs'],
): NonNullable<ApiServerConfig['listen']> {
  const ciphers = tlsCiphers(options.tlsCipherSuites);
  return {
    host: listenHost(options.bindAddress, interfaces),
    port: options.securePort,
    // A getter, because a server that does not listen needs no certificate.
    get tls() {
      return {
        cert: identity.serving.certificatePem,
        key: identity.serving.keyPem,
        minVersion: tlsMinVersion(options.tlsMinVersion),
        ...(ciphers && { ciphers }),
        byName: byName.map(({ names, pair }) => ({ names, cert: pair.certificatePem, key: pair.keyPem })),
        clientCAs: clientCAs(),
      };
    },
    ...(options.http2MaxStreamsPerConnection > 0 && { maxConcurrentStreams: options.http2MaxStreamsPerConnection }),
    http1Only: options.disableHttp2Serving,
  };
}

/**
 * Returns the configuration of front proxies (request headers). Without a configured CA, the generated one is used: its client
 * certificate is the one that this server sends to aggregated API servers.
 */
function frontProxyOf(options: CompletedOptions, files: ServerFiles) {
  const { requestHeaderCA, identity } = files;
  if (!requestHeaderCA)
    return {
      requestHeaderCA: identity.frontProxyCA,
      allowedNames: ['front-proxy-client'],
      headers: standardRequestHeaders,
    };
  return {
    requestHeaderCA,
    allowedNames: options.requestheaderAllowedNames,
    headers: {
      username: options.requestheaderUsernameHeaders,
      uid: options.requestheaderUidHeaders,
      group: options.requestheaderGroupHeaders,
      extraPrefixes: options.requestheaderExtraHeadersPrefix,
    },
  };
}

interface Authentication {
  readonly authentication: Omit<ApiServerConfig['authentication'], 'anonymous'>;
  /** The CA certificates that the TLS handshake names to clients, as PEM. */
  readonly clientCAs: () => readonly string[];
  readonly followedFiles: readonly FollowedFile[];
}

function authenticationOf(options: CompletedOptions, files: ServerFiles, now: () => Date): Authentication {
  const { tokenFile } = files;
  const clientCA = new FileAuthorities('client-ca-file', options.clientCaFile, clientAuthorities(files));
  const { requestHeaderCA, allowedNames, headers } = frontProxyOf(options, files);
  const proxyCA =
    requestHeaderCA === undefined
      ? undefined
      : new FileAuthorities('requestheader-client-ca-file', options.requestheaderClientCaFile, requestHeaderCA);
  const authorities = [clientCA, ...(proxyCA ? [proxyCA] : [])];
  const clusterInfo = () => ({
    clientCA: clientCA.pem,
    ...(proxyCA && {
      requestHeader: {
        clientCA: proxyCA.pem,
        usernameHeaders: headers.username,
        uidHeaders: headers.uid,
        groupHeaders: headers.group,
        extraHeaderPrefixes: headers.extraPrefixes,
        allowedNames,
      },
    }),
  });
  return {
    authentication: {
      clientCA,
      bootstrapTokens: options.enableBootstrapTokenAuth,
      ...(tokenFile && { tokenFile }),
      ...(proxyCA && { requestHeader: { pool: proxyCA, allowedNames, headers } }),
      clusterInfo,
    },
    clientCAs: () => clientAuthoritiesPem(authorities),
    followedFiles: [...clientAuthorityFiles(authorities), ...servingCertificateFiles(options, files, now)],
  };
}

const clientAuthorities = ({ clientCA, identity }: ServerFiles): string => clientCA ?? identity.ca.certificatePem;

function serviceAccountsOf(options: CompletedOptions, files: ServerFiles): ApiServerConfig['serviceAccounts'] {
  const signingKey = files.signingKey ?? files.identity.serviceAccountKey;
  const maxExpirationSeconds = durationToMs(options.serviceAccountMaxTokenExpiration) / 1000;
  return {
    issuers: options.serviceAccountIssuer,
    signingKey,
    keys: files.verificationKeys ?? [signingKey],
    apiAudiences: options.apiAudiences.length > 0 ? options.apiAudiences : options.serviceAccountIssuer,
    ...(options.serviceAccountJwksUri && { jwksUri: options.serviceAccountJwksUri }),
    ...(maxExpirationSeconds > 0 && { maxExpirationSeconds }),
    extendExpiration: options.serviceAccountExtendTokenExpiration,
    lookup: options.serviceAccountLookup,
  };
}

function proxyClientOf({ proxyClient, identity }: ServerFiles): () => { cert: string; key: string } {
  return () => {
    const { certificatePem, keyPem } = proxyClient ?? identity.frontProxyClient;
    return { cert: certificatePem, key: keyPem };
  };
}

function dialerOf(
  { kubeletClient, kubeletCA, identity }: ServerFiles,
  { localKubelets, nobodyAt }: Pick<ServerEnvironment, 'localKubelets' | 'nobodyAt'>,
): Dialer & { close(): void } {
  const kubeletTls = once(() => {
    const { certificatePem, keyPem } = kubeletClient ?? identity.kubeletClient;
    return { cert: certificatePem, key: keyPem, ...(kubeletCA && { ca: kubeletCA }) };
  });
  const sockets = new SocketDialer({ kubeletTls });
  const elsewhere = nobodyAt ? withoutNobody(nobodyAt, sockets) : sockets;
  return localKubelets ? withLocalKubelets(localKubelets, elsewhere) : elsewhere;
}

/** Returns the admin kubeconfig and its file. Differs from upstream, which writes no kubeconfig. */
function administratorOf(
  options: CompletedOptions,
  files: ServerFiles,
  url: CompletedServer['url'],
  logger: Logger,
): Pick<CompletedServer, 'adminKubeconfig' | 'kubeconfigPath'> {
  const path = options.kubeconfigOut ?? defaultKubeconfigPath(options);
  const { identity } = files;
  if (!clientAuthorities(files).includes(identity.ca.certificatePem.trim())) {
    if (path)
      logger.info(
        "No admin kubeconfig is written: --client-ca-file does not contain the CA of the administrator's certificate",
      );
    return {};
  }
  return {
    adminKubeconfig: (port) => ({
      server: url(port),
      certificateAuthority: identity.servingTrust,
      clientCertificate: identity.admin.certificatePem,
      clientKey: identity.admin.keyPem,
    }),
    ...(path && { kubeconfigPath: path }),
  };
}

function defaultKubeconfigPath({ certDir, dataDir }: CompletedOptions): string | undefined {
  const directory = certDir || dataDir;
  return directory && join(directory, 'admin.kubeconfig');
}

async function encryptionOf(
  { encryptionProviderConfig }: CompletedOptions,
  logger: Logger,
  identity: { readonly now: () => Date; readonly uuid: () => string },
): Promise<Encryption | undefined> {
  if (!encryptionProviderConfig) return undefined;
  return loadEncryption(encryptionProviderConfig, { ...identity, logger });
}

async function admissionConfigurationOf(options: CompletedOptions): Promise<AdmissionConfiguration> {
  const { admissionControlConfigFile, enableAdmissionPlugins, disableAdmissionPlugins } = options;
  const enabled = new Set(enabledAdmissionPlugins(enableAdmissionPlugins, disableAdmissionPlugins));
  try {
    return await loadAdmissionConfiguration(admissionControlConfigFile, enabled);
  } catch (error) {
    throw new OptionsError([`failed to apply admission: ${messageOf(error)}`]);
  }
}

async function auditOf(options: CompletedOptions, logger: Logger, clock: Clock): Promise<Audit | undefined> {
  const { auditPolicyFile, auditLogPath, auditWebhookConfigFile } = options;
  if (!auditPolicyFile || !(auditLogPath || auditWebhookConfigFile)) {
    if (auditLogPath || auditWebhookConfigFile) logger.info('No requests are audited: there is no --audit-policy-file');
    return undefined;
  }
  const common = { clock, now: datesOf(clock), logger };
  return openAudit({
    policyFile: auditPolicyFile,
    logger,
    ...(auditLogPath && { log: { path: auditLogPath, ...auditLogOf(options), ...common } }),
    ...(auditWebhookConfigFile && {
      webhook: { configFile: auditWebhookConfigFile, ...auditWebhookOf(options), ...common },
    }),
  });
}

const auditWebhookOf = (options: CompletedOptions) => ({
  userAgent,
  mode: options.auditWebhookMode as AuditLogMode,
  bufferSize: options.auditWebhookBatchBufferSize,
  batchMaxSize: options.auditWebhookBatchMaxSize,
  batchMaxWaitMs: durationToMs(options.auditWebhookBatchMaxWait),
  initialBackoffMs: durationToMs(options.auditWebhookInitialBackoff),
  maxEvents: options.auditWebhookBatchMaxSize,
  maxBytes: options.auditWebhookTruncateMaxBatchSize,
  ...(options.auditWebhookTruncateEnabled && { maxEventBytes: options.auditWebhookTruncateMaxEventSize }),
});

const auditLogOf = (options: CompletedOptions) => ({
  format: options.auditLogFormat as AuditLogFormat,
  mode: options.auditLogMode as AuditLogMode,
  bufferSize: options.auditLogBatchBufferSize,
  batchMaxSize: options.auditLogBatchMaxSize,
  batchMaxWaitMs: durationToMs(options.auditLogBatchMaxWait),
  ...(options.auditLogTruncateEnabled && { maxEventBytes: options.auditLogTruncateMaxEventSize }),
  maxBytes: options.auditLogMaxsize * megabyte,
  maxBackups: options.auditLogMaxbackup,
  maxAgeDays: options.auditLogMaxage,
  compress: options.auditLogCompress,
});
