/** The fields of KubeletConfiguration that the server reads. */
export interface KubeletServerSettings {
  readonly address: string;
  /** 0: a free port. */
  readonly port: number;
  /** 0: none. */
  readonly readOnlyPort: number;
  /** 0: none. */
  readonly healthzPort: number;
  readonly healthzBindAddress: string;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly tlsCipherSuites?: readonly string[];
  readonly tlsMinVersion?: string;
  readonly authentication: {
    /** Empty: client certificates are ignored. */
    readonly x509: { readonly clientCAFile: string };
    readonly webhook: { readonly enabled: boolean; readonly cacheTTL: string };
    readonly anonymous: { readonly enabled: boolean };
  };
  readonly authorization: {
    /** `Webhook` or `AlwaysAllow`. */
    readonly mode: string;
    readonly webhook: { readonly cacheAuthorizedTTL: string; readonly cacheUnauthorizedTTL: string };
  };
  readonly enableDebuggingHandlers: boolean;
  readonly enableProfilingHandler: boolean;
  readonly enableDebugFlagsHandler: boolean;
  readonly enableSystemLogHandler: boolean;
}
