import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** How long the lock of a process that was just killed may take to go. */
const waitSeconds = 3;

/** The lock of a directory. The kernel releases it when this process ends, however it ends. */
export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Takes the lock of a directory. Node has no locks of files, so a small process of util-linux holds it, which ends with its input: when this
 * process ends. Rejects if another process has the lock.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  await mkdir(directory, { recursive: true, mode: 0o711 });
  const hold = ['sh', '-c', 'echo locked; exec cat'];
  const holder = spawn('flock', ['--wait', String(waitSeconds), '--no-fork', join(directory, 'lock'), ...hold], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
    cwd: '/',
  });
  if (!(await isLocked(holder))) throw new Error(`another runtime uses ${directory}`);
  holder.unref();
  unref(holder.stdin);
  unref(holder.stdout);
  return {
    async release() {
      if (holder.exitCode !== null) return;
      holder.ref();
      const ended = once(holder, 'exit');
      holder.stdin.end();
      await ended;
    },
  };
}

function isLocked(holder: ChildProcess): Promise<boolean> {
  return new Promise((resolve, reject) => {
    holder.once('error', reject);
    holder.once('exit', () => resolve(false));
    holder.stdout?.once('data', () => resolve(true));
  });
}

/** The streams of a child process are sockets, which the types do not say. */
function unref(stream: object): void {
  if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
}
