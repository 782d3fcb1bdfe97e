import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readMountInfo } from '@coxswain/linux';
import { containerCgroup } from './container-exited.ts';
import type { RuntimeContext } from './runtime-context.ts';

const prefix = 'exec-';
/** How often processes are killed that were started while the others were. */
const maxRounds = 100;

/**
 * A cgroup inside that of a container, for one command: whatever the command starts is in it, so that all of it can be killed. It limits
 * nothing. With version 1 it is one of the freezer hierarchy only.
 */
export interface ExecCgroup {
  /** For the runtime's option `--cgroup`. */
  readonly option: string;
  /** Kills all that the command has started. */
  kill(): Promise<void>;
  /** Removes it, unless something that the command has left still runs. */
  remove(): Promise<void>;
}

/** Where cgroups of containers are: the unified hierarchy, or the freezer. Undefined if there is neither. */
async function hierarchyOf({ cgroups }: RuntimeContext): Promise<string | undefined> {
  if (cgroups.version === 2) return '/sys/fs/cgroup';
  const freezer = (await readMountInfo()).find(
    ({ type, superOptions }) => type === 'cgroup' && superOptions.includes('freezer'),
  );
  return freezer?.mountPoint;
}

/** Makes one. Undefined if this machine has no hierarchy for it. */
export async function makeExecCgroup(
  context: RuntimeContext,
  container: { readonly id: string; readonly cgroupParent: string },
  name: string,
): Promise<ExecCgroup | undefined> {
  const hierarchy = await hierarchyOf(context);
  if (hierarchy === undefined) return undefined;
  const path = join(hierarchy, containerCgroup(context, container.cgroupParent, container.id), prefix + name);
  await mkdir(path);
  return {
    option: `${context.cgroups.version === 1 ? 'freezer:' : ''}${prefix}${name}`,
    kill: () => killAll(path),
    remove: () => rmdir(path).catch(() => {}),
  };
}

/** Kills what commands in a container run that an earlier process has started. */
export async function killLeftCommands(
  context: RuntimeContext,
  container: { readonly id: string; readonly cgroupParent: string },
): Promise<void> {
  const hierarchy = await hierarchyOf(context);
  if (hierarchy === undefined) return;
  const parent = join(hierarchy, containerCgroup(context, container.cgroupParent, container.id));
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(prefix))) {
    await killAll(join(parent, name));
    await rmdir(join(parent, name)).catch(() => {});
  }
}

async function killAll(path: string): Promise<void> {
  const killFile = await writeFile(join(path, 'cgroup.kill'), '1').then(
    () => true,
    () => false,
  );
  if (killFile) return;
  for (let round = 0; round < maxRounds; round++) {
    const text = await readFile(join(path, 'cgroup.procs'), 'utf8').catch(() => '');
    const pids = text
      .split('\n')
      .filter((line) => line !== '')
      .map(Number);
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
  }
}
