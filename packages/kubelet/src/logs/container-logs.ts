/** Which lines of a container's log are wanted, and how. */
export interface LogOptions {
  /** Also returns lines that are written later, until the container ends. */
  readonly follow?: boolean;
  readonly tailLines?: number;
  readonly sinceMs?: number;
  /** Each line begins with the time at which it was written. */
  readonly timestamps?: boolean;
  readonly limitBytes?: number;
  /** Both streams if undefined. */
  readonly stream?: 'stdout' | 'stderr';
  readonly signal?: AbortSignal;
}

export interface LoggedContainer {
  readonly id: string;
  /** Absolute path of the log; empty if the runtime writes no file. */
  readonly logPath: string;
}

/** Reads what containers have printed. */
export interface ContainerLogs {
  /** The chunks end with the signal, and otherwise when there is no more to read. */
  read(container: LoggedContainer, options: LogOptions): AsyncIterable<Uint8Array>;
}
