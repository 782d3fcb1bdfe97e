import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseMountInfo } from './mount-info.ts';

/** Whether this process may mount. */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/proc/self/mountinfo');

const mountPoints = (): string[] =>
  parseMountInfo(readFileSync('/proc/self/mountinfo', 'utf8')).map(({ mountPoint }) => mountPoint);

/** A directory that is a mount of its own, so that what is mounted in it leaves other directories alone. */
export async function scratchMount(): Promise<{ readonly directory: string; remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'coxswain-mounts-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'scratch', directory]);
  execFileSync('mount', ['--make-private', directory]);
  return {
    directory,
    async remove() {
      for (const path of mountPoints().reverse()) {
        if (path === directory || path.startsWith(`${directory}/`)) execFileSync('umount', ['-l', path]);
      }
      await rm(directory, { recursive: true });
    },
  };
}
