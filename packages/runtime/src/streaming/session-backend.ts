/** A program with streams, which a client is connected to. */
export interface StreamedSession {
  readonly stdin: { write(bytes: Uint8Array): Promise<void>; close(): void } | undefined;
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Resolves with the exit code; rejects if the program could not be started. */
  readonly exited: Promise<number>;
  resize(size: { readonly width: number; readonly height: number }): Promise<void>;
  /** Ends the program, or the connection to it. */
  kill(): Promise<void>;
}

/** The streams of a command that a client has asked for. */
export interface CommandStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** What is behind a URL: a command to run or to attach to, or ports. */
export type StreamingTarget =
  | { readonly kind: 'command'; readonly streams: CommandStreams; open(): Promise<StreamedSession> }
  /** Port-forward; the ports are those of channels, other clients name theirs. */
  | { readonly kind: 'ports'; readonly ports: readonly number[]; open(port: number): Promise<StreamedSession> };
