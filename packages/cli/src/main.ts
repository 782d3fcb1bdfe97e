import { collectAtRest } from './memory/rest-collector.ts';
import { thisCollectedProcess } from './memory/this-process.ts';
import type { ServerProcess } from './server-process.ts';

/** Where a command writes to. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Runs `cox` with these arguments and gives the exit status. Never throws, never ends the process. */
export async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  // The flags of components are upstream's, which no other command line parser reads as they are; and each loads nothing it
  // can do without.
  if (args[0] === 'apiserver') {
    const { apiserver } = await import('./apiserver.ts');
    return apiserver(args.slice(1), terminal, thisProcess);
  }
  if (args[0] === 'controller-manager') {
    const { controllerManager } = await import('./controller-manager.ts');
    return controllerManager(args.slice(1), terminal, thisProcess);
  }
  if (args[0] === 'scheduler') {
    const { scheduler } = await import('./scheduler.ts');
    return scheduler(args.slice(1), terminal, thisProcess);
  }
  if (args[0]?.startsWith('envtest-')) {
    const { envtest } = await import('./envtest-commands.ts');
    return envtest(args, terminal, thisProcess);
  }
  if (args[0] !== undefined && clusterCommands.has(args[0])) {
    const { clusterCommand } = await import('./up/commands.ts');
    return clusterCommand(args, terminal, thisProcess);
  }
  const { runCommand } = await import('./commands.ts');
  return runCommand(args, terminal);
}

const clusterCommands: ReadonlySet<string> = new Set(['up', 'down', 'status', 'reset']);

const signals = ['SIGINT', 'SIGTERM'] as const;

const thisProcess: ServerProcess = {
  env: process.env,
  onSignal(callback) {
    for (const signal of signals) process.on(signal, callback);
    return () => {
      for (const signal of signals) process.off(signal, callback);
    };
  },
  tidyAtRest: () => collectAtRest(thisCollectedProcess),
  exit: (status) => process.exit(status),
  async confirm(question) {
    if (!process.stdin.isTTY) return false;
    const { createInterface } = await import('node:readline/promises');
    const asking = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await asking.question(question);
    asking.close();
    return /^y(es)?$/i.test(answer.trim());
  },
};
