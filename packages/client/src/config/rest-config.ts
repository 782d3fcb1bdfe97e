import type { Clock } from '@coxswain/apimachinery/clock';

/**
 * How to reach and convince one API server: what a kubeconfig's context says once everything is resolved. Plain data and
 * functions, no Node: kubeconfig files are read by `kubeconfig/`.
 */
export interface RestConfig {
  /** `https://host:port`, with a path where the API is served below one. */
  readonly server: string;
  readonly tls?: TlsConfig;
  /** Who we are. Without: anonymous. */
  readonly credentials?: Credentials;
  readonly impersonate?: Impersonation;
  /** `http://`, `https://` or `socks5://`; the environment's (`HTTPS_PROXY`, `NO_PROXY`) counts where there is none. */
  readonly proxyUrl?: string;
  /** Do not ask for compressed answers. */
  readonly disableCompression?: boolean;
  /** Namespace of the context. */
  readonly namespace?: string;
  readonly userAgent?: string;
  /** Requests in a second, in the long run; 0 for no limit. client-go's default is 5. */
  readonly qps?: number;
  readonly burst?: number;
  /** A request's whole time, answers that stream excepted; 0 or none for no limit. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

export interface TlsConfig {
  /** PEM. Re-read through a function when it may be rotated. */
  readonly ca?: string | (() => Promise<string>);
  /** The name that the server's certificate must have, when it is not the host's. */
  readonly serverName?: string;
  readonly insecureSkipTlsVerify?: boolean;
}

/** What proves who we are; asked before every request, so it may change at any time. */
export interface Credentials {
  /** As cheap as possible: caches what it had to fetch. Rejects when there is none to be had. */
  current(signal?: AbortSignal): Promise<Credential>;
  /** The server refused this one (401): a fetched one is thrown away. Returns whether asking again may bring another. */
  refused(credential: Credential): boolean;
}

export interface Credential {
  /** A bearer token. */
  readonly token?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  /** PEM. */
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
}

export interface Impersonation {
  readonly userName?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
