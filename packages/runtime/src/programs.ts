import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Programs of util-linux and others that helper shells run. */
const helpers = ['flock', 'mkfifo', 'mount', 'nsenter', 'perl', 'setsid', 'umount', 'unshare'];

export interface RuntimePrograms {
  /** The OCI runtime. */
  readonly runtime: string;
  /** The monitor of containers. */
  readonly monitor: string;
}

/** Finds the programs that the runtime is made of. Rejects with what has to be installed. */
export async function findPrograms(path = process.env.PATH ?? defaultPath): Promise<RuntimePrograms> {
  const runtime = (await find('runc', path)) ?? (await find('crun', path));
  const monitor = await find('conmon', path);
  const missing: string[] = [];
  if (runtime === undefined) missing.push('runc (or crun)');
  if (monitor === undefined) missing.push('conmon');
  for (const name of helpers) if ((await find(name, path)) === undefined) missing.push(name);
  if (runtime === undefined || monitor === undefined || missing.length > 0) {
    throw new Error(
      `missing on the PATH: ${missing.join(', ')} (Debian: apt-get install runc conmon util-linux perl-base)`,
    );
  }
  return { runtime, monitor };
}

async function find(name: string, path: string): Promise<string | undefined> {
  for (const directory of path.split(delimiter)) {
    const program = join(directory, name);
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return program;
  }
  return undefined;
}
