import { Command, CommanderError, InvalidArgumentError } from 'commander';
import type { Terminal } from '../main.ts';
import { reasonOf, type ServerProcess } from '../server-process.ts';
import { ClusterDirectory } from './cluster-directory.ts';

const defaultPort = 6443;

/** Runs `cox up`, `down`, `status` or `reset`. Gives the exit status; never throws. */
export async function clusterCommand(
  args: readonly string[],
  terminal: Terminal,
  process: ServerProcess,
): Promise<number> {
  let exitStatus = 0;
  const program = commands(terminal, process, (status) => {
    exitStatus = status;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitStatus;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    terminal.err(`error: ${explained(error)}\n`);
    return 1;
  }
}

function commands(terminal: Terminal, process: ServerProcess, exit: (status: number) => void): Command {
  const program = new Command('cox').exitOverride().configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  const dataDir = [
    '--data-dir <directory>',
    'where the cluster is',
    ClusterDirectory.defaultPath(process.env),
  ] as const;

  program
    .command('up')
    .description('run a cluster: API server, controllers, scheduler, and nodes on which nothing really runs')
    .option(...dataDir)
    .option('--port <port>', 'where it listens on this machine; 0 takes a free one', wholeNumber(65535), defaultPort)
    .option('--kubeconfig <file>', 'write the context there, instead of where kubectl looks')
    .option('--nodes <count>', 'how many hollow nodes', wholeNumber(5000), 2)
    .option('--memory', 'keep nothing: all is gone when it ends', false)
    .action(async (options: { dataDir: string; port: number; kubeconfig?: string; nodes: number; memory: boolean }) => {
      const { up } = await import('./up.ts');
      await up(options, terminal, process);
    });

  program
    .command('down')
    .description('stop the cluster; its data stay')
    .option(...dataDir)
    .action(async (options: { dataDir: string }) => {
      const { down } = await import('./down.ts');
      const directory = new ClusterDirectory(options.dataDir);
      const pid = await down(directory);
      terminal.out(pid === undefined ? `no cluster runs in ${directory.path}\n` : `process ${pid} has ended\n`);
    });

  program
    .command('status')
    .description('say whether the cluster runs, and how it is; the exit status is 1 when it does not run')
    .option(...dataDir)
    .action(async (options: { dataDir: string }) => {
      const { status } = await import('./status.ts');
      const directory = new ClusterDirectory(options.dataDir);
      const lines = await status(directory);
      terminal.out(`${lines?.join('\n') ?? `no cluster runs in ${directory.path}; cox up starts one`}\n`);
      if (!lines) exit(1);
    });

  program
    .command('reset')
    .description('stop the cluster and delete all of its data')
    .option(...dataDir)
    .option('-y, --yes', 'do not ask', false)
    .action(async (options: { dataDir: string; yes: boolean }) => {
      const directory = new ClusterDirectory(options.dataDir);
      if ((await directory.isEmpty()) && (await directory.holder()) === undefined) {
        terminal.out(`there is no cluster in ${directory.path}\n`);
        return;
      }
      const question = `delete the cluster in ${directory.path}, with all that is in it? [y/N] `;
      if (!options.yes && !(await process.confirm(question))) {
        terminal.err('nothing was deleted; --yes deletes without asking\n');
        exit(1);
        return;
      }
      const { reset } = await import('./reset.ts');
      await reset(directory, process.env);
      terminal.out(`deleted ${directory.path}\n`);
    });

  return program;
}

const wholeNumber =
  (most: number) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value <= most)) throw new InvalidArgumentError(`a whole number from 0 to ${most} is needed.`);
    return value;
  };

const places = 'choose a directory of your own with --data-dir, or a file with --kubeconfig';

const advice: Readonly<Record<string, string>> = {
  EADDRINUSE: 'stop what listens there, or choose another port with --port (0 takes a free one)',
  EACCES: `you may not do that; choose a port above 1023 with --port, ${places}`,
  EPERM: `you may not do that; ${places}`,
  EROFS: places,
  ENOENT: places,
  ENOTDIR: places,
  EEXIST: places,
  ENOSPC: 'make room, or choose another directory with --data-dir',
};

/** What is wrong, and what to do about it. */
function explained(error: unknown): string {
  const hint = hintFor(error);
  return hint ? `${reasonOf(error)}; ${hint}` : reasonOf(error);
}

function hintFor(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'DataDirectoryError')
    return / is (damaged|incomplete)/.test(error.message)
      ? 'cox reset deletes the cluster with all that is in it, and --data-dir names another directory'
      : 'choose another with --data-dir';
  return 'code' in error ? advice[String(error.code)] : undefined;
}
