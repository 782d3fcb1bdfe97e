import { resolve } from 'node:path';
import type { Terminal } from './main.ts';
import type { ServerProcess } from './server-process.ts';

/** Runs `cox envtest-assets`, or one of the programs that it writes. Gives the exit status; never throws. */
export async function envtest(
  [command = '', ...args]: readonly string[],
  terminal: Terminal,
  process: ServerProcess,
): Promise<number> {
  switch (command) {
    case 'envtest-assets': {
      const { envtestAssets } = await import('./envtest-assets.ts');
      const { execPath, execArgv, argv } = globalThis.process;
      return envtestAssets(args, terminal, { cox: [execPath, ...execArgv, resolve(argv[1] ?? '')], env: process.env });
    }
    case 'envtest-apiserver': {
      const { envtestApiserver } = await import('./envtest-apiserver.ts');
      return envtestApiserver(args, terminal, process);
    }
    case 'envtest-etcd': {
      const { envtestEtcd } = await import('./envtest-etcd.ts');
      return envtestEtcd(args, terminal, process);
    }
    default:
      terminal.err(`error: unknown command '${command}'\n`);
      return 1;
  }
}
