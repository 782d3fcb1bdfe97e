/** Invalid options: all problems at once. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
  /** Each message names the flag and says what to do. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    // Joined as upstream's aggregate errors are.
    super(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
    this.problems = problems;
  }
}
