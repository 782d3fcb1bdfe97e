import type { Clock } from '@coxswain/apimachinery/clock';

/**
 * How to connect and authenticate to one API server: the resolved form of a kubeconfig's context. Plain data and
 * functions, without Node; `kubeconfig/` reads kubeconfig files.
 */
export interface RestConfig {
  /** `https://host:port`, with a path when the API is served below one. */
  readonly server: string;
  readonly tls?: TlsConfig;
  /** Without credentials, requests are anonymous. */
  readonly credentials?: Credentials;
  readonly impersonate?: Impersonation;
  /** Proxy URL: `http://`, `https://` or `socks5://`. Defaults to the environment's (`HTTPS_PROXY`, `NO_PROXY`). */
  readonly proxyUrl?: string;
  /** Do not request compressed responses. */
  readonly disableCompression?: boolean;
  /** Namespace of the context. */
  readonly namespace?: string;
  readonly userAgent?: string;
  /** Average requests per second; 0 for no limit. client-go's default is 5. */
  readonly qps?: number;
  readonly burst?: number;
  /** Timeout of a whole request, except streaming responses; 0 or undefined for no limit. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

export interface TlsConfig {
  /** PEM. A function re-reads a bundle that may be rotated. */
  readonly ca?: string | (() => Promise<string>);
  /** The name to verify in the server's certificate, when it is not the host's. */
  readonly serverName?: string;
  readonly insecureSkipTlsVerify?: boolean;
}

/** Supplies the credential. Called before every request, so the credential may change at any time. */
export interface Credentials {
  /**
   * Returns the current credential. Called often, so it caches what it fetched. Rejects when no credential can be
   * obtained.
   */
  current(signal?: AbortSignal): Promise<Credential>;
  /**
   * Reports that the server rejected this credential (401). Drops a cached one. Returns whether `current` may now
   * return another, so that a retry makes sense.
   */
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
