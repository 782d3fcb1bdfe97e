const nothing = 'no configuration has been provided, try setting KUBERNETES_MASTER environment variable';

/** What is in the files makes no connection; says all that is wrong with it. */
export class InvalidConfigurationError extends Error {
  override readonly name = 'InvalidConfigurationError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], hint = '') {
    const distinct = [...new Set(problems)];
    super(`invalid configuration: ${distinct.length === 1 ? distinct[0] : `[${distinct.join(', ')}]`}${hint}`);
    this.problems = problems;
  }

  /** `missing` are files that `KUBECONFIG` names. Differs from client-go, which writes them into its log only. */
  static empty(missing: readonly string[] = []): InvalidConfigurationError {
    const hint = missing.length === 0 ? '' : `; config not found: ${missing.join(', ')}`;
    return new InvalidConfigurationError([nothing], hint);
  }
}

/** There is no configuration at all, rather than a wrong one. */
export const isEmptyConfig = (error: unknown): boolean =>
  error instanceof InvalidConfigurationError && error.problems.length === 1 && error.problems[0] === nothing;
