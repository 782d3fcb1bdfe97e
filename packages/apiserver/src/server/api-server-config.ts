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

/** Files that make a difference to a running server when they change. */
export interface FollowedFile {
  /** As the log names them. */
  readonly flag: string;
  /** Read together. */
  readonly files: readonly string[];
  readonly contents: readonly string[];
  /** Takes what is new; throws for what is no good, and the old stays. */
  readonly apply: (
    contents: readonly string[],
    listener: Pick<Listener, 'setCertificate' | 'setClientCAs'> | undefined,
  ) => Promise<void>;
}

/** Everything a server is made of, complete and checked: what `completeOptions` makes of flags, and tests make by hand. */
export interface ApiServerConfig {
  readonly store: Store;
  /** How what is stored is encrypted: `--encryption-provider-config`. Closed with the server. */
  readonly encryption?: Encryption;
  /** `--etcd-prefix`. */
  readonly storePrefix: string;
  readonly features: FeatureGates;
  /** The version that `/version` tells; absent: ours. */
  readonly gitVersion?: string;
  /** `--profiling`: serve `/debug/pprof/`. Absent: do not. */
  readonly profiling?: boolean;
  /** What the flags say, by name, for people: `/flagz`. */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** `--runtime-config`. */
  readonly runtimeConfig: ReadonlyMap<string, string>;
  /** Absent: no port, the server is reached in its own process only. */
  readonly listen?: Pick<ListenerOptions, 'host' | 'port' | 'tls' | 'maxConcurrentStreams' | 'http1Only'>;
  /** `--advertise-address`. */
  readonly advertiseAddress: string;
  /** Host and port for clients outside, where that is not the address above: `--external-hostname`. */
  readonly externalHost?: string;
  readonly serviceClusterIPRanges: readonly string[];
  readonly serviceNodePortRange: PortRange;
  readonly kubernetesServiceNodePort?: number;
  /** `--endpoint-reconciler-type=none`: the endpoints of the service `kubernetes` are somebody else's. */
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
  /** In place of the modes: `--authorization-mode` with webhooks, `--authorization-config`. Closed with the server. */
  readonly authorization?: PreparedAuthorization;
  /** What is read again when it changes, while the server runs. */
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
  /** Reaches kubelets, and what is behind services. */
  readonly dialer: Dialer & { close?(): void };
  /** The user that kubelets know the server as: it gets the rights for that. Absent: somebody else gives them. */
  readonly kubeletClientUser?: string;
  /** See `ServerEnvironment`, and the next. */
  readonly nobodyAt?: (host: string) => boolean;
  readonly isLocal?: (component: 'scheduler' | 'controller-manager') => boolean;
  readonly kubeletPreferredAddressTypes?: readonly string[];
  /** What proves to API servers behind this one that it is this one: `--proxy-client-cert-file`. PEM. */
  readonly proxyClient?: () => { readonly cert: string; readonly key: string };
  /** Webhooks and API servers behind services are reached at their endpoints: `--enable-aggregator-routing`. */
  readonly routeToEndpoints?: boolean;
  /** Says in the status of ValidatingAdmissionPolicies what is wrong with the types of their expressions. */
  readonly policyTypeChecking?: boolean;
  /** Waits before a deleted custom resource definition goes, whose objects are gone; for a moment by default. */
  readonly pauseBeforeRemoval?: (signal: AbortSignal) => Promise<unknown>;
  /** Plug-ins that are on besides the default ones, and that are off: `--enable-admission-plugins`, `--disable-…`. */
  readonly enabledAdmissionPlugins: readonly string[];
  readonly disabledAdmissionPlugins: readonly string[];
  /** `--admission-control-config-file`, as far as plug-ins that are on are told by it. */
  readonly admissionConfiguration?: AdmissionConfiguration;
  /** `--default-not-ready-toleration-seconds`, `--default-unreachable-toleration-seconds`. */
  readonly defaultTolerationSeconds?: TolerationSeconds;
  readonly allowPrivileged: boolean;
  readonly eventTtlSeconds: number;
  readonly maxRequestsInFlight: number;
  readonly maxMutatingRequestsInFlight: number;
  /** `--enable-priority-and-fairness`; absent: as if true. Else the two limits above stand on their own. */
  readonly priorityAndFairness?: boolean;
  readonly requestTimeoutMs: number;
  /** `--cors-allowed-origins`: regular expressions; none by default. */
  readonly corsAllowedOrigins?: readonly string[];
  readonly minRequestTimeoutMs: number;
  /** How long requests under way have when the server stops: `--shutdown-delay-duration` and a grace after it. */
  readonly shutdownDelayMs: number;
  readonly shutdownGraceMs: number;
  /** Absent: nothing is written down. Closed with the server. */
  readonly audit?: Audit;
  /** `--etcd-compaction-interval`: history is forgotten after one to two times that; absent or 0: never by this server. */
  readonly compactionIntervalMs?: number;
  readonly hostname: string;
  readonly logger: Logger;
  /** All time that is not that of sockets to the outside. Its timers and its monotonic time count for requests, so they must not stand still. */
  readonly clock: Clock;
  /** Of the logger: `/debug/flags/v` sets it. */
  readonly verbosity?: Verbosity;
  readonly random: Random;
  /** Where others get their turn while long work is done in slices. */
  readonly eventLoop: EventLoop;
}
