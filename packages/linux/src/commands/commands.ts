/** Runs programs of the machine, such as `mount`. */
export interface Commands {
  /**
   * Runs `argv[0]`, found on the PATH, with the other elements as its arguments. Resolves with the exit status, whatever it is. Rejects
   * when the signal is aborted or the time is up; the program is then killed, and nothing waits for it, even if the kernel does not
   * let it end.
   */
  run(argv: readonly string[], options?: RunOptions): Promise<CommandResult>;
  /** Ends the helper processes. A program that is running is killed. */
  close(): void;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

export interface CommandResult {
  /** Above 128 if a signal ended the program: 128 and the signal's number. */
  readonly status: number;
  /** Standard output and standard error together; the first 64 KiB. */
  readonly output: string;
}
