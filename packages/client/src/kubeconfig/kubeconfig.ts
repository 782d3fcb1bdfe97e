/**
 * A kubeconfig (`v1`, `Config`) in memory. Its lists are maps by name. Entries are as in the file, with data in base64.
 * They contain secrets: do not log or print them.
 */
export interface KubeConfig {
  readonly clusters: Map<string, Cluster>;
  readonly users: Map<string, AuthInfo>;
  readonly contexts: Map<string, Context>;
  /** Empty if there is none. */
  currentContext: string;
}

/** How to connect to a cluster and verify it. */
export interface Cluster {
  readonly server?: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  /** Path of a PEM file. */
  readonly 'certificate-authority'?: string;
  /** PEM in base64. */
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  readonly extensions?: readonly NamedExtension[];
}

/** How to authenticate to a cluster. */
export interface AuthInfo {
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly token?: string;
  /** Re-read periodically; takes precedence over `token` while it is readable. */
  readonly tokenFile?: string;
  readonly as?: string;
  readonly 'as-uid'?: string;
  readonly 'as-groups'?: readonly string[];
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>>;
  readonly username?: string;
  readonly password?: string;
  readonly 'auth-provider'?: AuthProviderConfig;
  readonly exec?: ExecConfig;
  readonly extensions?: readonly NamedExtension[];
}

/** A combination of cluster, user and default namespace. */
export interface Context {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
  readonly extensions?: readonly NamedExtension[];
}

export interface AuthProviderConfig {
  readonly name?: string;
  readonly config?: Readonly<Record<string, string>>;
}

/** A program that prints credentials. See the API group `client.authentication.k8s.io`. */
export interface ExecConfig {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: readonly ExecEnvVar[];
  readonly apiVersion?: string;
  /** Help text for users who do not have the program. */
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  /** `Never`, `IfAvailable` or `Always`: whether the program may use the terminal. */
  readonly interactiveMode?: string;
}

export interface ExecEnvVar {
  readonly name?: string;
  readonly value?: string;
}

export interface NamedExtension {
  readonly name?: string;
  readonly extension?: unknown;
}

/** Returns an empty kubeconfig. */
export const newKubeConfig = (): KubeConfig => ({
  clusters: new Map(),
  users: new Map(),
  contexts: new Map(),
  currentContext: '',
});
