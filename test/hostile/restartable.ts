import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type PairOptions, pairPrograms, untilReady, writePairFiles } from '../compat/api-servers.ts';
import { type End, KilledProcess } from './scenarios/killed-process.ts';

/** A server that a scenario starts, kills and starts again, always with the same files. */
export interface Restartable {
  /** The path of an admin kubeconfig. */
  readonly kubeconfig: string;
  /** Returns the files with all stored data, for the time when it is stopped. */
  dataFiles(): readonly string[];
  /** Returns temporary files that should not exist after a kill and a restart. */
  leftovers(): readonly string[];
  start(): RestartedServer;
}

export interface RestartedServer {
  /** Returns whether it became ready within the timeout, and before any of its processes ended. */
  isReady(timeoutMs: number): Promise<boolean>;
  /**
   * Kills all processes. Returns how they ended, which may be by another cause. The first one is the process that
   * stores data.
   */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<readonly EndedProcess[]>;
}

export interface EndedProcess {
  readonly end: End;
  readonly said: string;
}

/** A server of one process, which is ready when its output matches. */
export function oneProcess(
  program: readonly string[],
  { ready, ...files }: Omit<Restartable, 'start'> & { readonly ready: RegExp },
): Restartable {
  return {
    ...files,
    start() {
      const server = new KilledProcess(program);
      return {
        isReady: (timeoutMs) => server.says(ready, timeoutMs),
        kill: async (signal) => [{ end: await server.kill(signal), said: server.said }],
      };
    },
  };
}

/** etcd and kube-apiserver, started and killed at the same time. */
export async function etcdAndApiServer(folder: string, programs: PairOptions['programs']): Promise<Restartable> {
  mkdirSync(folder, { recursive: true });
  const { kubeconfig, ports } = await writePairFiles(folder);
  const { etcd, kubeApiserver } = pairPrograms({ folder, programs, ports });
  const member = join(folder, 'etcd', 'member');
  return {
    kubeconfig,
    dataFiles: () => [
      join(member, 'snap', 'db'),
      ...filesIn(join(member, 'wal'))
        .filter((name) => name.endsWith('.wal'))
        .map((name) => join(member, 'wal', name)),
    ],
    // etcd allocates a segment of the log in advance, as `0.tmp` or `1.tmp`.
    leftovers: () =>
      filesIn(member, true).filter((name) => /\.(tmp|broken)/.test(name) && !/wal\/[01]\.tmp$/.test(name)),
    start() {
      const processes = [new KilledProcess(etcd), new KilledProcess(kubeApiserver)] as const;
      const [, server] = processes;
      return {
        async isReady(timeoutMs) {
          const over = Promise.race(processes.map(({ ended }) => ended));
          return untilReady(kubeconfig, timeoutMs, over);
        },
        async kill(signal) {
          // The API server is stopped first, because its shutdown uses the store.
          if (signal === 'SIGTERM') await server.kill(signal);
          const ends = processes.map(async (each) => ({ end: await each.kill(signal), said: each.said }));
          return Promise.all(ends);
        },
      };
    },
  };
}

function filesIn(folder: string, recursive = false): string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive, encoding: 'utf8' }) : [];
}

/** Returns the reason when a process ended for another cause than the signal: it refused to run, or it crashed. */
export function failureOf({
  end,
  said,
}: EndedProcess): { readonly isCrash: boolean; readonly reason: string } | undefined {
  if (end === 'SIGKILL' || end === 'SIGTERM' || end === 0) return undefined;
  const lines = said.trim().split('\n');
  const panic = lines.find((line) => /^(panic|fatal error|unexpected fault address)\b/.test(line));
  const fatal = lines.findLast((line) => /"level":"(fatal|panic)"/.test(line));
  const isCrash = typeof end === 'string' || panic !== undefined;
  return { isCrash, reason: textOf(panic ?? fatal ?? lines.at(-1) ?? '') };
}

/** Returns the message of a line of etcd's log. */
function textOf(line: string): string {
  if (!line.startsWith('{')) return line;
  const { msg = '', error = '' }: { msg?: string; error?: string } = JSON.parse(line);
  return [msg, error].filter(Boolean).join(': ');
}
