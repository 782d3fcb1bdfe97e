/**
 * A kubeconfig (`v1`, `Config`) in memory. Its lists are maps by name; entries are as they are written, with data in
 * base64. They hold secrets: neither log nor print them.
 */
export interface KubeConfig {
  readonly clusters: Map<string, Cluster>;
  readonly users: Map<string, AuthInfo>;
  readonly contexts: Map<string, Context>;
  /** Empty for none. */
  currentContext: string;
}

/** Where a cluster is, and how it proves who it is. */
export interface Cluster {
  readonly server?: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  /** A file of PEM. */
  readonly 'certificate-authority'?: string;
  /** PEM in base64. */
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  readonly extensions?: readonly NamedExtension[];
}

/** Who we are for a cluster, and how we prove it. */
export interface AuthInfo {
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly token?: string;
  /** Read again and again; counts more than `token` as long as it can be read. */
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

/** Which user to be at which cluster, and where to look first. */
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

/** A program that prints credentials, see the API group `client.authentication.k8s.io`. */
export interface ExecConfig {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: readonly ExecEnvVar[];
  readonly apiVersion?: string;
  /** What to tell people who have not got the program. */
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  /** `Never`, `IfAvailable` or `Always`: whether it is to have the terminal. */
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

/** One with nothing in it. */
export const newKubeConfig = (): KubeConfig => ({
  clusters: new Map(),
  users: new Map(),
  contexts: new Map(),
  currentContext: '',
});
