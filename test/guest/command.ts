import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a program to its end. Rejects with what it wrote to stderr if it fails, and when the signal is aborted. */
export async function command(program: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  try {
    return (await run(program, [...args], { signal, maxBuffer: 2 ** 26 })).stdout;
  } catch (cause) {
    signal.throwIfAborted();
    const stderr = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim().slice(-2000) : '';
    throw new Error(`${program} failed: ${stderr || (cause instanceof Error ? cause.message : cause)}`, { cause });
  }
}
