import { closeSync, openSync, readFileSync } from 'node:fs';
import { makeDirectory } from '@coxswain/storage';
import type { CoxContext } from '../context.ts';
import type { BackgroundProcess } from '../server-process.ts';
import type { ClusterDirectory, ClusterState } from './cluster-directory.ts';
import { commandFor } from './cluster-flags.ts';
import { sizeOf } from './log-file.ts';

const pollMs = 50;

/**
 * `cox up --detach`: runs the cluster in another process. Resolves with the exit status when the cluster is ready, or its process has ended
 * before; at once when the directory's cluster runs already. `words` are the words of the command line.
 */
export async function detach(
  { name, directory }: { readonly name: string; readonly directory: ClusterDirectory },
  words: readonly string[],
  { terminal, process }: CoxContext,
): Promise<number> {
  const holder = await directory.holder();
  if (holder !== undefined) {
    const state = await readyState(directory, holder, () => false);
    if (!state) throw new Error(`process ${holder}, which was starting the cluster of ${directory.path}, has ended`);
    terminal.err(`the cluster of ${directory.path} runs already\n`);
    tell(terminal, state, name);
    return 0;
  }
  await makeDirectory(directory.path);
  const from = sizeOf(directory.log);
  const background = startBackground(directory, words, process);
  let ended: number | null | undefined;
  const end = (status: number | null): void => {
    ended = status;
  };
  background.ended.then(end, () => end(null));
  const forget = process.onSignal(() => background.kill());
  try {
    const state = await readyState(directory, background.pid, () => ended === undefined);
    if (state) {
      tell(terminal, state, name, directory.log);
      return 0;
    }
    // The log has the reason.
    terminal.err(textSince(directory.log, from));
    return (await background.ended) || 1;
  } finally {
    forget();
    background.release();
  }
}

function startBackground(
  directory: ClusterDirectory,
  words: readonly string[],
  process: CoxContext['process'],
): BackgroundProcess {
  const log = openSync(directory.log, 'a', 0o600);
  try {
    // When a flag is given twice, the last one counts.
    return process.background(['up', ...words, '--detach=false', `--log-file=${directory.log}`], log);
  } finally {
    closeSync(log);
  }
}

/** Resolves with the state of a process's cluster when it is ready; undefined when the process has ended before. */
async function readyState(
  directory: ClusterDirectory,
  pid: number,
  isStarting: () => boolean,
): Promise<ClusterState | undefined> {
  for (;;) {
    const mayHold = isStarting();
    const holds = (await directory.holder()) === pid;
    if (!holds && !mayHold) return undefined;
    const state = holds ? await directory.readableState() : undefined;
    if (state?.pid === pid) return state;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function tell(
  terminal: CoxContext['terminal'],
  { url, context, kubeconfig, pid }: ClusterState,
  name: string,
  log?: string,
): void {
  terminal.out(`cluster is ready at ${url}, context ${context} in ${kubeconfig}\n`);
  terminal.err(`process ${pid}${log === undefined ? '' : `, log ${log}`}; ${commandFor('down', name)} stops it\n`);
}

/** A file that has become shorter was replaced. */
function textSince(path: string, from: number): string {
  const bytes = readFileSync(path);
  return bytes.subarray(from <= bytes.length ? from : 0).toString('utf8');
}
