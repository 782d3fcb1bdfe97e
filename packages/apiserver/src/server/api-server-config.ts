import type { FeatureGates } from '@coxswain/api';
import type { Clock } from '@coxswain/apimachinery/clock';
import type { Random } from '@coxswain/apimachinery/random';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { Logger, Verbosity } from '@coxswain/apimachinery/log';
import type { Listener, ListenerOptions } from '@coxswain/component-base/http';
import type { Store } from '@coxswain/storage';
import type { AdmissionConfiguration } from '../admission/admission-configuration.ts';
import type { TolerationSeconds } from '../admission/pod/default-toleration-seconds.ts';
import type { Audit } from '../audit/index.ts';
import type {
  AuthenticationOptions,
  JwtAuthentication,
  TokenAuthenticator,
  TokenWebhookOptions,
} from '../authentication/index.ts';
import type { AuthorizationMode, PreparedAuthorization } from '../authorization/index.ts';
import type { ClusterAuthenticationInfo } from '../bootstrap/index.ts';
import type { Encryption } from '../encryption/index.ts';
import type { Dialer } from '../proxy/index.ts';
import type { SigningKey, VerificationKey } from '../serviceaccount/index.ts';
import type { PortRange } from '../services/index.ts';

/** Files that a running server reloads when they change. */
export interface FollowedFile {
  /** The flag that names the files, for the log. */
  readonly flag: string;
  /** Files that are reloaded together. */
  readonly files: readonly string[];
  readonly contents: readonly string[];
  /** Applies changed contents. Throws when they are invalid; the previous ones then stay in use. */
  readonly apply: (
    contents: readonly string[],
    listener: Pick<Listener, 'setCertificate' | 'setClientCAs'> | undefined,
  ) => Promise<void>;
}

/** The complete, validated configuration of a server. `completeOptions` makes it from flags. */
export interface ApiServerConfig {
  readonly store: Store;
  /** Encryption at rest: `--encryption-provider-config`. Closed with the server. */
  readonly encryption?: Encryption;
  /** `--etcd-prefix`. */
  readonly storePrefix: string;
  readonly features: FeatureGates;
  /** The version at `/version`, if it is not the default. */
  readonly gitVersion?: string;
  /** `--profiling`: serve `/debug/pprof/`. Off by default. */
  readonly profiling?: boolean;
  /** The values of all flags by name, for `/flagz`. */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** `--runtime-config`. */
  readonly runtimeConfig: ReadonlyMap<string, string>;
  /** When undefined, the server has no port and is reached in-process only. */
  readonly listen?: Pick<ListenerOptions, 'host' | 'port' | 'tls' | 'maxConcurrentStreams' | 'http1Only'>;
  /** `--advertise-address`. */
  readonly advertiseAddress: string;
  /** `--external-hostname`: the host for external clients, if it is not `advertiseAddress`. */
  readonly externalHost?: string;
  readonly serviceClusterIPRanges: readonly string[];
  readonly serviceNodePortRange: PortRange;
  readonly kubernetesServiceNodePort?: number;
  /** `--endpoint-reconciler-type=none`: the server does not maintain the endpoints of the service `kubernetes`. */
  readonly leaveEndpoints?: boolean;
  readonly authentication: Pick<AuthenticationOptions, 'requestHeader' | 'clientCA' | 'anonymous'> & {
    /** `--token-auth-file`. */
    readonly tokenFile?: TokenAuthenticator;
    /** `--enable-bootstrap-token-auth`. */
    readonly bootstrapTokens: boolean;
    readonly clusterInfo: () => ClusterAuthenticationInfo;
    /** `--oidc-*`, or `--authentication-config`. */
    readonly jwt?: JwtAuthentication;
    /** `--authentication-token-webhook-*`. Closed with the server. */
    readonly tokenWebhook?: Pick<TokenWebhookOptions, 'webhook' | 'version' | 'cacheTtlMs'>;
  };
  readonly authorizationModes: readonly AuthorizationMode[];
  /** Replaces the modes: `--authorization-mode` with webhooks, `--authorization-config`. Closed with the server. */
  readonly authorization?: PreparedAuthorization;
  /** Files that are reloaded when they change. */
  readonly followedFiles?: readonly FollowedFile[];
  readonly serviceAccounts: {
    readonly issuers: readonly string[];
    readonly signingKey: SigningKey;
    readonly keys: readonly VerificationKey[];
    readonly apiAudiences: readonly string[];
    readonly jwksUri?: string;
    readonly maxExpirationSeconds?: number;
    readonly extendExpiration: boolean;
    readonly lookup: boolean;
  };
  /** Connects to kubelets, pods, services and aggregated API servers. */
  readonly dialer: Dialer & { close?(): void };
  /** The user that the server authenticates as to kubelets. If set, the server creates the RBAC binding that this user needs. */
  readonly kubeletClientUser?: string;
  /** This and `isLocal`: see `ServerEnvironment`. */
  readonly nobodyAt?: (host: string) => boolean;
  readonly isLocal?: (component: 'scheduler' | 'controller-manager') => boolean;
  readonly kubeletPreferredAddressTypes?: readonly string[];
  /** `--proxy-client-cert-file`: the client certificate for aggregated API servers, as PEM. */
  readonly proxyClient?: () => { readonly cert: string; readonly key: string };
  /** `--enable-aggregator-routing`: webhooks and aggregated API servers are reached at the endpoints of their services. */
  readonly routeToEndpoints?: boolean;
  /** Runs the controller that reports type errors of expressions in the status of ValidatingAdmissionPolicies. */
  readonly policyTypeChecking?: boolean;
  /** Waits before a deleted CustomResourceDefinition without objects is removed; a short time by default. */
  readonly pauseBeforeRemoval?: (signal: AbortSignal) => Promise<unknown>;
  /** `--enable-admission-plugins` and `--disable-admission-plugins`: differences from the default plug-ins. */
  readonly enabledAdmissionPlugins: readonly string[];
  readonly disabledAdmissionPlugins: readonly string[];
  /** `--admission-control-config-file`: the configuration of enabled plug-ins. */
  readonly admissionConfiguration?: AdmissionConfiguration;
  /** `--default-not-ready-toleration-seconds`, `--default-unreachable-toleration-seconds`. */
  readonly defaultTolerationSeconds?: TolerationSeconds;
  readonly allowPrivileged: boolean;
  readonly eventTtlSeconds: number;
  readonly maxRequestsInFlight: number;
  readonly maxMutatingRequestsInFlight: number;
  /** `--enable-priority-and-fairness`; true by default. Without it, the two limits above apply separately. */
  readonly priorityAndFairness?: boolean;
  readonly requestTimeoutMs: number;
  /** `--cors-allowed-origins`: regular expressions; none by default. */
  readonly corsAllowedOrigins?: readonly string[];
  readonly minRequestTimeoutMs: number;
  /** `--shutdown-delay-duration`: the time for which the stopping server still accepts requests. */
  readonly shutdownDelayMs: number;
  /** The time for which a stopping server waits for running requests after that. */
  readonly shutdownGraceMs: number;
  /** When undefined, there is no audit log. Closed with the server. */
  readonly audit?: Audit;
  /** `--etcd-compaction-interval`: history is compacted after one to two intervals. When 0 or undefined, this server never compacts. */
  readonly compactionIntervalMs?: number;
  readonly hostname: string;
  readonly logger: Logger;
  /** The clock of everything except sockets. Requests depend on its timers and monotonic time, so it must not stand still. */
  readonly clock: Clock;
  /** The verbosity of the logger, which `/debug/flags/v` sets. */
  readonly verbosity?: Verbosity;
  readonly random: Random;
  /** The event loop that long work yields to. */
  readonly eventLoop: EventLoop;
}
