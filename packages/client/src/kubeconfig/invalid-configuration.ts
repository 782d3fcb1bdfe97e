const nothing = 'no configuration has been provided, try setting KUBERNETES_MASTER environment variable';

/** What is in the files makes no connection; says all that is wrong with it. */
export class InvalidConfigurationError extends Error {
  override readonly name = 'InvalidConfigurationError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const distinct = [...new Set(problems)];
    super(`invalid configuration: ${distinct.length === 1 ? distinct[0] : `[${distinct.join(', ')}]`}`);
    this.problems = problems;
  }

  static empty(): InvalidConfigurationError {
    return new InvalidConfigurationError([nothing]);
  }
}

/** There is no configuration at all, rather than a wrong one. */
export const isEmptyConfig = (error: unknown): boolean =>
  error instanceof InvalidConfigurationError && error.problems.length === 1 && error.problems[0] === nothing;
