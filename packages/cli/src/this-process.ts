import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { collectAtRest } from './memory/rest-collector.ts';
import { thisCollectedProcess } from './memory/this-process.ts';
import type { ServerProcess } from './server-process.ts';

/**
 * Returns the signals that stop a process. On Windows, which has no signals, Node reports the closing of the console and Ctrl-Break under
 * these names. Elsewhere SIGHUP is not handled, because nohup must be able to ignore it.
 */
export const stopSignals = (platform: NodeJS.Platform): readonly NodeJS.Signals[] =>
  platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM'];

/** Returns the command that runs this program: a program and its first arguments. */
export function thisCommand(): string[] {
  const { execPath, execArgv, argv } = process;
  return [execPath, ...execArgv, resolve(argv[1] ?? '')];
}

export const thisProcess: ServerProcess = {
  env: process.env,
  pid: process.pid,
  onSignal(callback) {
    const signals = stopSignals(process.platform);
    for (const signal of signals) process.on(signal, callback);
    return () => {
      for (const signal of signals) process.off(signal, callback);
    };
  },
  tidyAtRest: () => collectAtRest(thisCollectedProcess),
  background(args, output) {
    const [program = '', ...first] = thisCommand();
    const child = spawn(program, [...first, ...args], {
      detached: true,
      windowsHide: true,
      stdio: ['ignore', output, output],
    });
    const ended = new Promise<number | null>((done, failed) => {
      child.once('error', failed).once('exit', done);
    });
    return {
      pid: child.pid ?? 0,
      ended,
      kill: () => void child.kill(),
      release: () => child.unref(),
    };
  },
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
