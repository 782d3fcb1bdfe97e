/** Options that cannot work, all that is wrong with them. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
  /** Each names the flag and says what to do. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    // As upstream puts several errors into one line.
    super(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
    this.problems = problems;
  }
}
