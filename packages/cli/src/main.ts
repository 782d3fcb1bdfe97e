import type { Terminal } from '@coxswain/component-base/cli';
import { thisProcess } from './this-process.ts';

export type { Terminal };

/** Runs `cox` with these arguments and returns the exit status. Never throws, never ends the process. */
export async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  const { runProgram } = await import('@coxswain/component-base/cli');
  const { coxProgram } = await import('./program.ts');
  return runProgram(coxProgram, args, { terminal, process: thisProcess });
}
