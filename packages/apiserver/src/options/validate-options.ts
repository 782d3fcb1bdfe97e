import { Catalogue } from '@coxswain/api';
import { type Duration, durationToMs, isIPv4, parseCIDRSloppy, parseIPSloppy } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { camelCase, duration } from '@coxswain/component-base';
import { parseFeatureGates } from '@coxswain/component-base/features';
import { loggingProblems } from '@coxswain/component-base/logs';
import { tlsCiphers, tlsMinVersion } from '@coxswain/component-base/serving';
import { admissionPluginProblems } from '../admission/admission-plugins.ts';
import { tokenReviewVersions } from '../authentication/index.ts';
import { authorizationModes } from '../authorization/index.ts';
import { servedResources } from '../discovery/index.ts';
import { PortRange } from '../services/index.ts';
import { defaultAuthorizationModes, defaultReviewVersion } from './access.ts';
import type { CompletedOptions } from './api-server-flags.ts';
import { apiServerFlags } from './api-server-flags.ts';
import { corsProblems } from './cors-problems.ts';

type Check = (options: CompletedOptions) => readonly (string | undefined | false)[];

/** Returns all problems of the options, each with its flag and the allowed values, with upstream's message where it has one. */
export function validateOptions(options: CompletedOptions): string[] {
  const malformed = durationProblems(options);
  // The checks below compare durations, so these must be valid.
  if (malformed.length > 0) return malformed;
  return checks.flatMap((check) => check(options).filter((problem): problem is string => !!problem));
}

/** Returns problems of durations. Options from a command line have none, because parsing checks them. */
function durationProblems(options: CompletedOptions): string[] {
  const given = options as Readonly<Record<string, unknown>>;
  return Object.entries(apiServerFlags).flatMap(([name, { type }]) => {
    const value = given[camelCase(name)];
    if (type !== duration || value === undefined) return [];
    const problem = problemOf(() => duration.read(String(value), undefined));
    return problem ? [`--${name}: ${problem}`] : [];
  });
}

const checkStorage: Check = (o) => {
  const onEtcd = (o.etcdServers?.length ?? 0) > 0;
  return [
    o.memory && onEtcd && '--memory and --etcd-servers cannot both be given: objects are kept in one place',
    !o.memory && !onEtcd && !o.dataDir && 'one of --data-dir, --etcd-servers and --memory must be specified',
    together('etcd-certfile', o.etcdCertfile, 'etcd-keyfile', o.etcdKeyfile),
    (o.etcdPrefix === '' || o.etcdPrefix.includes('\0')) && '--etcd-prefix must be specified',
    isNegative(o.etcdCompactionInterval) && '--etcd-compaction-interval can not be negative value',
    durationToMs(o.eventTtl) < 1000 && '--event-ttl must be at least 1s',
  ];
};

const checkServing: Check = (o) => [
  !inRange(o.securePort, 0, 65535) &&
    `--secure-port ${o.securePort} must be between 0 and 65535, inclusive. 0 takes a free port`,
  together('tls-cert-file', o.tlsCertFile, 'tls-private-key-file', o.tlsPrivateKeyFile),
  problemOf(() => tlsMinVersion(o.tlsMinVersion)),
  problemOf(() => tlsCiphers(o.tlsCipherSuites)),
  ...corsProblems(o.corsAllowedOrigins),
  !inRange(o.http2MaxStreamsPerConnection, 0, 2 ** 31 - 1) &&
    '--http2-max-streams-per-connection can not be negative value',
];

const checkLogs: Check = (o) => loggingProblems(o);

const checkLimits: Check = (o) => [
  o.maxRequestsInflight < 0 && '--max-requests-inflight can not be negative value',
  o.maxMutatingRequestsInflight < 0 && '--max-mutating-requests-inflight can not be negative value',
  o.enablePriorityAndFairness &&
    o.maxRequestsInflight + o.maxMutatingRequestsInflight === 0 &&
    'invalid configuration: MaxRequestsInFlight=0 and MaxMutatingRequestsInFlight=0; they must add up to something positive',
  isNegative(o.requestTimeout) && '--request-timeout can not be negative value',
  o.minRequestTimeout < 0 && '--min-request-timeout can not be negative value',
  isNegative(o.shutdownDelayDuration) && '--shutdown-delay-duration can not be negative value',
];

const checkServiceAccounts: Check = (o) => {
  const expiration = durationToMs(o.serviceAccountMaxTokenExpiration);
  const issuers = o.serviceAccountIssuer;
  const repeated = issuers.filter((issuer, index) => issuers.indexOf(issuer) !== index);
  const jwks = o.serviceAccountJwksUri;
  return [
    issuers.length === 0 && 'service-account-issuer is a required flag',
    ...issuers.map((issuer) => issuerProblem(issuer)),
    ...repeated.map((issuer) => `service-account-issuer ${JSON.stringify(issuer)} is already specified`),
    expiration !== 0 &&
      !inRange(expiration, 3_600_000, 2 ** 32 * 1000) &&
      'the service-account-max-token-expiration must be between 1 hour and 2^32 seconds',
    jwks && !URL.canParse(jwks) && `service-account-jwks-uri must be a valid URL: ${jwks}`,
    jwks &&
      URL.canParse(jwks) &&
      new URL(jwks).protocol !== 'https:' &&
      `service-account-jwks-uri requires https scheme, parsed as: ${jwks}`,
    o.serviceAccountKeyFile.length > 0 &&
      !o.serviceAccountSigningKeyFile &&
      '--service-account-signing-key-file must be specified with --service-account-key-file, or the tokens that this server issues would not be accepted',
  ];
};

function issuerProblem(issuer: string): string | undefined {
  if (issuer === '') return 'service-account-issuer should not be an empty string';
  return issuer.includes(':') && !URL.canParse(issuer)
    ? `service-account-issuer ${JSON.stringify(issuer)} contained a ':' but was not a valid URL`
    : undefined;
}

const checkAuthentication: Check = (o) => {
  const flags = Object.keys(apiServerFlags).filter((name) => name.startsWith('oidc-'));
  const given = o as Readonly<Record<string, unknown>>;
  const hasOidcFlags = flags.some((name) => given[camelCase(name)] !== undefined);
  return [
    hasOidcFlags && o.authenticationConfig && 'authentication-config file and oidc-* flags are mutually exclusive',
    hasOidcFlags &&
      !o.authenticationConfig &&
      !(o.oidcIssuerUrl && o.oidcClientId) &&
      'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set',
    o.authenticationTokenWebhookConfigFile &&
      !tokenReviewVersions.some((version) => version === o.authenticationTokenWebhookVersion) &&
      `unsupported authentication webhook version ${JSON.stringify(o.authenticationTokenWebhookVersion)}, supported versions are "v1", "v1beta1"`,
  ];
};

const checkAuthorization: Check = (o) => {
  const webhookFlags = [
    o.authorizationWebhookConfigFile,
    o.authorizationWebhookVersion,
    o.authorizationWebhookCacheAuthorizedTtl,
    o.authorizationWebhookCacheUnauthorizedTtl,
  ];
  if (o.authorizationConfig)
    return [
      [o.authorizationMode, ...webhookFlags].some((value) => value !== undefined) &&
        '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
    ];
  const modes = o.authorizationMode ?? defaultAuthorizationModes;
  const file = o.authorizationWebhookConfigFile;
  const version = o.authorizationWebhookVersion ?? defaultReviewVersion;
  return [
    modes.length === 0 && 'at least one authorization-mode must be passed',
    ...modes.flatMap((mode) => [
      mode === 'ABAC' && '--authorization-mode: this server does not have ABAC; leave it out',
      mode !== 'ABAC' &&
        !authorizationModes.includes(mode) &&
        `authorization-mode ${JSON.stringify(mode)} is not a valid mode`,
      mode === 'Webhook' && !file && "authorization-mode Webhook's authorization config file not passed",
    ]),
    file && !modes.includes('Webhook') && 'cannot specify --authorization-webhook-config-file without mode Webhook',
    new Set(modes).size < modes.length &&
      `authorization-mode [${modes.map((mode) => JSON.stringify(mode)).join(' ')}] has mode specified more than once`,
    file &&
      !['v1', 'v1beta1'].includes(version) &&
      `unsupported webhook authorizer version ${JSON.stringify(version)}, supported versions are "v1", "v1beta1"`,
  ];
};

const checkApi: Check = (o) => {
  const features = problemOf(() => parseFeatureGates(o.featureGates));
  return [
    features && `--feature-gates: ${features}`,
    !features &&
      o.runtimeConfig.size > 0 &&
      problemOf(() => servedResources(Catalogue.builtIn(), o.runtimeConfig, parseFeatureGates(o.featureGates))),
    ...admissionPluginProblems(o.enableAdmissionPlugins, o.disableAdmissionPlugins),
  ];
};

const checkNetwork: Check = (o) => {
  const ranges = o.serviceClusterIpRange.map((range) => parseCIDRSloppy(range));
  const families = ranges.map((range) => range && isIPv4(range.network));
  const node = o.kubernetesServiceNodePort;
  const advertised = o.advertiseAddress ? parseIPSloppy(o.advertiseAddress)?.bytes : undefined;
  let ports: PortRange | undefined;
  const portProblem = problemOf(() => {
    ports = PortRange.parse(o.serviceNodePortRange);
  });
  return [
    ranges.length === 0 && '--service-cluster-ip-range must contain at least one valid cidr',
    ranges.length > 2 && '--service-cluster-ip-range must not contain more than two entries',
    ...ranges.map((range, index) => !range && `service-cluster-ip-range[${index}] is not a valid cidr`),
    ranges.length === 2 &&
      families[0] === families[1] &&
      '--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family',
    o.endpointReconcilerType !== 'none' &&
      ranges[0] &&
      advertised &&
      families[0] !== isIPv4(advertised) &&
      `service IP family ${JSON.stringify(o.serviceClusterIpRange[0])} must match public address family ${JSON.stringify(o.advertiseAddress)}`,
    o.endpointReconcilerType !== 'lease' &&
      o.endpointReconcilerType !== 'none' &&
      `--endpoint-reconciler-type ${o.endpointReconcilerType}: this server does not have it; use lease or none`,
    portProblem && `--service-node-port-range: ${portProblem}`,
    !inRange(node, 0, 65535) &&
      `--kubernetes-service-node-port ${node} must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP`,
    node > 0 && ports && !ports.contains(node) && `kubernetes service node port range ${ports} doesn't contain ${node}`,
    together('proxy-client-cert-file', o.proxyClientCertFile, 'proxy-client-key-file', o.proxyClientKeyFile),
    together('kubelet-client-certificate', o.kubeletClientCertificate, 'kubelet-client-key', o.kubeletClientKey),
  ];
};

const logModes = ['batch', 'blocking', 'blocking-strict'];
const logFormats = ['legacy', 'json'];

const checkAuditWebhook: Check = (o) => {
  if (!o.auditWebhookConfigFile) return [];
  return [
    !logModes.includes(o.auditWebhookMode) &&
      `invalid audit webhook mode ${o.auditWebhookMode}, allowed modes are "${logModes.join(',')}"`,
    o.auditWebhookVersion !== 'audit.k8s.io/v1' && 'invalid group version, allowed versions are ["audit.k8s.io/v1"]',
    o.auditWebhookBatchBufferSize <= 0 &&
      `invalid audit batch webhook buffer size ${o.auditWebhookBatchBufferSize}, must be a positive number`,
    o.auditWebhookBatchMaxSize <= 0 &&
      `invalid audit batch webhook max batch size ${o.auditWebhookBatchMaxSize}, must be a positive number`,
    o.auditWebhookTruncateMaxEventSize <= 0 &&
      `invalid audit truncate webhook max event size ${o.auditWebhookTruncateMaxEventSize}, must be a positive number`,
    o.auditWebhookTruncateMaxBatchSize < o.auditWebhookTruncateMaxEventSize &&
      `invalid audit truncate webhook max batch size ${o.auditWebhookTruncateMaxBatchSize}, must be greater than max event size (${o.auditWebhookTruncateMaxEventSize})`,
  ];
};

const checkAudit: Check = (o) => {
  if (!o.auditLogPath) return [];
  return [
    !logModes.includes(o.auditLogMode) &&
      `invalid audit log mode ${o.auditLogMode}, allowed modes are "${logModes.join(',')}"`,
    !logFormats.includes(o.auditLogFormat) &&
      `invalid audit log format ${o.auditLogFormat}, allowed formats are "${logFormats.join(',')}"`,
    o.auditLogVersion !== 'audit.k8s.io/v1' && 'invalid group version, allowed versions are ["audit.k8s.io/v1"]',
    o.auditLogMaxage < 0 && `--audit-log-maxage ${o.auditLogMaxage} can't be a negative number`,
    o.auditLogMaxbackup < 0 && `--audit-log-maxbackup ${o.auditLogMaxbackup} can't be a negative number`,
    o.auditLogMaxsize < 0 && `--audit-log-maxsize ${o.auditLogMaxsize} can't be a negative number`,
    o.auditLogBatchBufferSize <= 0 &&
      `invalid audit batch log buffer size ${o.auditLogBatchBufferSize}, must be a positive number`,
    o.auditLogBatchMaxSize <= 0 &&
      `invalid audit batch log max batch size ${o.auditLogBatchMaxSize}, must be a positive number`,
    o.auditLogTruncateMaxEventSize <= 0 &&
      `invalid audit truncate log max event size ${o.auditLogTruncateMaxEventSize}, must be a positive number`,
    o.auditLogTruncateMaxBatchSize < o.auditLogTruncateMaxEventSize &&
      `invalid audit truncate log max batch size ${o.auditLogTruncateMaxBatchSize}, must be greater than max event size (${o.auditLogTruncateMaxEventSize})`,
  ];
};

const checks: readonly Check[] = [
  checkLogs,
  checkLimits,
  checkStorage,
  checkServing,
  checkServiceAccounts,
  checkAuthentication,
  checkAuthorization,
  checkApi,
  checkNetwork,
  checkAudit,
  checkAuditWebhook,
];

const inRange = (value: number, low: number, high: number): boolean => value >= low && value <= high;
const isNegative = (text: Duration): boolean => durationToMs(text) < 0;

function together(a: string, first: string | undefined, b: string, second: string | undefined): string | undefined {
  return !first === !second ? undefined : `--${a} and --${b} must be specified together`;
}

function problemOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
