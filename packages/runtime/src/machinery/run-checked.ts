import type { Commands, RunOptions } from '@coxswain/linux';

/** Runs a program and returns its output. Rejects with its output if its status is not zero. */
export async function runChecked(
  commands: Commands,
  argv: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { status, output } = await commands.run(argv, options);
  if (status !== 0) throw new Error(`${argv[0]} failed: ${output.trim() || `exit status ${status}`}`);
  return output;
}
