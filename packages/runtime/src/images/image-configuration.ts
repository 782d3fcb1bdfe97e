/** The part of an OCI image configuration that a runtime uses. */
export interface ImageConfiguration {
  readonly architecture: string;
  /** Such as `v7` of ARM. */
  readonly variant?: string;
  readonly os: string;
  readonly config: {
    /** `user`, `uid`, `user:group`, `uid:gid` …; empty for root. */
    readonly User?: string;
    readonly Env?: readonly string[];
    readonly Entrypoint?: readonly string[];
    readonly Cmd?: readonly string[];
    readonly WorkingDir?: string;
    readonly StopSignal?: string;
    readonly Volumes?: Readonly<Record<string, object>>;
    readonly Labels?: Readonly<Record<string, string>>;
  };
  /** Digests of the uncompressed layers, the lowest first. */
  readonly diffIds: readonly string[];
}
