import { reasonOf, type Verbosity } from '@coxswain/apimachinery/log';
import type { Logger } from '@coxswain/client';
import { FlagError, OptionsError } from '@coxswain/component-base';
import { componentLogging, type LoggingOptions } from '@coxswain/component-base/logs';
import type { Terminal } from './main.ts';
import { runUntilStopped, type ServerProcess } from './server-process.ts';

/** A component that connects to the API server with a kubeconfig, as its package defines it. */
interface Component<Options extends LoggingOptions> {
  /** Upstream's name, such as `kube-scheduler`. */
  readonly name: string;
  /** The command, such as `cox scheduler`. */
  readonly command: string;
  /** The line to print when it starts its work. */
  readonly started: string;
  parse(
    args: readonly string[],
  ):
    | { readonly wanted: 'help' }
    | { readonly wanted: 'version'; readonly text: string }
    | { readonly wanted: 'run'; readonly options: Options; readonly notices: readonly string[] };
  help(command: string): string;
  run(options: Options, environment: ComponentEnvironment, signal: AbortSignal): Promise<void>;
}

interface ComponentEnvironment {
  readonly logger: Logger;
  readonly verbosity: Verbosity;
  readonly env: ServerProcess['env'];
  readonly onStarted: () => void;
}

/**
 * Runs a component with upstream's flags until a signal, stops it gracefully, and returns the exit status. A second signal ends the process
 * at once. Never throws.
 */
export async function runComponent<Options extends LoggingOptions>(
  { name, command, started, parse, help, run }: Component<Options>,
  args: readonly string[],
  terminal: Terminal,
  process: ServerProcess,
): Promise<number> {
  try {
    const parsed = parse(args);
    if (parsed.wanted !== 'run') {
      terminal.out(parsed.wanted === 'help' ? help(command) : parsed.text);
      return 0;
    }
    const { pid: processId } = process;
    const given = parsed.options;
    const { logger, verbosity } = componentLogging({
      name,
      given,
      write: (line) => terminal.err(line),
      now: () => new Date(),
      processId,
    });
    for (const notice of parsed.notices) logger.info(notice);
    const onStarted = (): void => terminal.out(`${started}\n`);
    await runUntilStopped(process, logger, (signal) =>
      run(parsed.options, { logger, verbosity, env: process.env, onStarted }, signal),
    );
    return 0;
  } catch (error) {
    for (const line of explained(error, command)) terminal.err(`error: ${line}\n`);
    return 1;
  }
}

/** Returns the problems with advice, one per line. */
function explained(error: unknown, command: string): string[] {
  if (error instanceof OptionsError) return [...error.problems];
  if (error instanceof FlagError) return [`${error.message}; ${command} --help lists all flags`];
  return [reasonOf(error)];
}
