const nothing = 'no configuration has been provided, try setting KUBERNETES_MASTER environment variable';

/** The configuration is not usable; lists all its problems. */
export class InvalidConfigurationError extends Error {
  override readonly name = 'InvalidConfigurationError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], hint = '') {
    const distinct = [...new Set(problems)];
    super(`invalid configuration: ${distinct.length === 1 ? distinct[0] : `[${distinct.join(', ')}]`}${hint}`);
    this.problems = problems;
  }

  /** `missing` are files that `KUBECONFIG` names. Differs from client-go, which only logs them. */
  static empty(missing: readonly string[] = []): InvalidConfigurationError {
    const hint = missing.length === 0 ? '' : `; config not found: ${missing.join(', ')}`;
    return new InvalidConfigurationError([nothing], hint);
  }
}

/** Whether there is no configuration at all, as opposed to an invalid one. */
export const isEmptyConfig = (error: unknown): boolean =>
  error instanceof InvalidConfigurationError && error.problems.length === 1 && error.problems[0] === nothing;
