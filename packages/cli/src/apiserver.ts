import { join } from 'node:path';
import { reasonOf } from '@coxswain/apimachinery/log';
import {
  type ApiServerOptions,
  apiServerForm,
  apiServerHelp,
  FlagError,
  OptionsError,
  parseOptions,
  startApiServer,
} from '@coxswain/apiserver';
import { type ComponentLogging, componentLogging } from '@coxswain/component-base/logs';
import { componentBody } from './commands/component-body.ts';
import { dataHome } from './data-home.ts';
import type { Terminal } from './main.ts';
import { runUntilStopped, type ServerProcess } from './server-process.ts';

/**
 * `cox apiserver`: kube-apiserver, with its flags. Runs until a signal, stops gracefully, and returns the exit status.
 * A second signal ends the process at once. Never throws.
 */
export async function apiserver(args: readonly string[], terminal: Terminal, process: ServerProcess): Promise<number> {
  try {
    const parsed = parseOptions(args, { dataDir: defaultDataDirectory(process.env) });
    if (parsed.wanted !== 'run') {
      terminal.out(parsed.wanted === 'help' ? apiServerHelp('cox apiserver') : parsed.text);
      return 0;
    }
    const logging = componentLogging({
      name: 'kube-apiserver',
      given: parsed.options,
      write: (line) => terminal.err(line),
      now: () => new Date(),
      processId: process.pid,
    });
    for (const notice of parsed.notices) logging.logger.info(notice);
    await serve(parsed, terminal, logging, process);
    return 0;
  } catch (error) {
    for (const line of explainStartError(error)) terminal.err(`error: ${line}\n`);
    return 1;
  }
}

function serve(
  { options, gitVersion }: { readonly options: ApiServerOptions; readonly gitVersion?: string },
  terminal: Terminal,
  { logger, verbosity }: ComponentLogging,
  process: ServerProcess,
): Promise<void> {
  return runUntilStopped(process, logger, async (signal) => {
    const running = await startApiServer(options, {
      logger,
      verbosity,
      listen: true,
      ...(gitVersion && { gitVersion }),
    });
    const kubeconfig = running.kubeconfigPath ? `, kubeconfig ${running.kubeconfigPath}` : '';
    if (!signal.aborted) {
      terminal.out(`API server is ready at ${running.url}${kubeconfig}\n`);
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    await running.stop();
  });
}

const defaultDataDirectory = (env: ServerProcess['env']): string => join(dataHome(env), 'apiserver');

export const apiserverCommand = componentBody(apiserver, apiServerForm.flags);

const advice: Readonly<Record<string, string>> = {
  EADDRINUSE: 'stop the program that listens there, or choose another port with --secure-port (0 selects a free one)',
  EADDRNOTAVAIL: 'this machine has no such address; choose another with --bind-address',
  EACCES:
    'permission is missing; choose a port above 1023 with --secure-port, or a directory of your own with --data-dir',
  ENOSPC: 'free some space, or choose another directory with --data-dir',
};

/** Further advice for a data directory that cannot be used. */
const directoryAdvice: Readonly<Record<string, string>> = {
  'in use': 'stop the server that uses it, or ',
  damaged: 'restore a copy of it, delete it to start empty, or ',
  incomplete: 'restore a copy of it, delete it to start empty, or ',
};

/** Returns the problems with advice, one per line. */
function explainStartError(error: unknown): string[] {
  if (error instanceof OptionsError) return [...error.problems];
  if (error instanceof FlagError) return [`${error.message}; cox apiserver --help lists all flags`];
  if (!(error instanceof Error)) return [String(error)];
  if (error.name === 'DataDirectoryError') {
    const [, problem = ''] = / is (in use|damaged|incomplete)/.exec(error.message) ?? [];
    return [`${reasonOf(error)}; ${directoryAdvice[problem] ?? ''}choose another with --data-dir`];
  }
  if (error.name === 'StoreUnavailableError') return [`${reasonOf(error)}; is it running? See --etcd-servers`];
  const hint = 'code' in error && typeof error.code === 'string' ? advice[error.code] : undefined;
  return [hint ? `${error.message}; ${hint}` : reasonOf(error)];
}
