import type { SchedulerProfile } from '../framework/profile.ts';

export interface ExtenderTLSConfig {
  readonly insecure?: boolean;
  readonly serverName?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly caFile?: string;
  /** In base64, like `keyData` and `caData`. */
  readonly certData?: string;
  readonly keyData?: string;
  readonly caData?: string;
}

export interface ExtenderConfig {
  readonly urlPrefix: string;
  readonly filterVerb?: string;
  readonly preemptVerb?: string;
  readonly prioritizeVerb?: string;
  readonly bindVerb?: string;
  readonly weight?: number;
  readonly enableHTTPS?: boolean;
  readonly tlsConfig?: ExtenderTLSConfig;
  /** A duration, `5s` by default. */
  readonly httpTimeout?: string;
  /** The extender caches nodes itself and gets only their names. */
  readonly nodeCacheCapable?: boolean;
  readonly managedResources?: readonly { readonly name: string; readonly ignoredByScheduler?: boolean }[];
  readonly ignorable?: boolean;
}

export interface LeaderElectionConfig {
  readonly leaderElect: boolean;
  /** A duration, like `renewDeadline` and `retryPeriod`. */
  readonly leaseDuration: string;
  readonly renewDeadline: string;
  readonly retryPeriod: string;
  readonly resourceLock: string;
  readonly resourceName: string;
  readonly resourceNamespace: string;
}

export interface ClientConnectionConfig {
  readonly kubeconfig: string;
  readonly acceptContentTypes: string;
  readonly contentType: string;
  readonly qps: number;
  readonly burst: number;
}

/** A KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) with all defaults. */
export interface SchedulerConfiguration {
  readonly parallelism: number;
  readonly leaderElection: LeaderElectionConfig;
  readonly clientConnection: ClientConnectionConfig;
  readonly enableProfiling: boolean;
  readonly enableContentionProfiling: boolean;
  readonly percentageOfNodesToScore: number;
  readonly podInitialBackoffSeconds: number;
  readonly podMaxBackoffSeconds: number;
  readonly profiles: readonly SchedulerProfile[];
  readonly extenders: readonly ExtenderConfig[];
  readonly delayCacheUntilActive: boolean;
}
