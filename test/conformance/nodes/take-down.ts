import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type CgroupMounts, cgroupMounts, findCgroups, processesBelow, removeCgroup } from './cgroups.ts';
import { type Names, nodeNames } from './topology.ts';

const run = promisify(execFile);

/** What nodes have on the machine. Each part is found by its name, whoever made it. */
export interface Remains {
  /** The cgroups of all hierarchies. */
  readonly cgroups: readonly string[];
  readonly processes: readonly number[];
  /** Network namespaces. */
  readonly netns: readonly string[];
  /** Network interfaces of the machine: those that connect nodes, and the bridge at the end. */
  readonly links: readonly string[];
  /** Mounts below the directory of nodes, the innermost first. */
  readonly mounts: readonly string[];
  readonly hasState: boolean;
}

/** What is changed on the machine outside of the names of nodes; kept in `changes.json` in their directory. */
export interface Changes {
  /** The values of kernel settings that kubelets change, before. */
  readonly sysctls: Readonly<Record<string, string>>;
}

/** The file of `Changes` in the directory of nodes. */
export const changesFile = 'changes.json';

/** Kernel settings of the whole machine that a kubelet changes when it starts. */
export const changedSysctls: readonly string[] = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'kernel/keys/root_maxbytes',
];

/** Finds what nodes have on the machine. */
export async function findRemains({ prefix, state }: Names = nodeNames): Promise<Remains> {
  const mounts = await cgroupMounts();
  const cgroups = await findCgroups(mounts, prefix);
  const [processes, namespaces, links, mountinfo, besideState] = await Promise.all([
    processesOf(mounts, cgroups),
    readdir('/run/netns').catch(() => []),
    readdir('/sys/class/net').catch(() => []),
    readFile('/proc/self/mountinfo', 'utf8'),
    readdir(dirname(state)),
  ]);
  return {
    cgroups,
    processes,
    netns: namespaces.filter((name) => name.startsWith(prefix)),
    links: links.filter((name) => name.startsWith(prefix)).sort(bridgesLast),
    mounts: mountsBelow(mountinfo, state),
    hasState: besideState.includes(basename(state)),
  };
}

const bridgesLast = (a: string, b: string): number => Number(a.endsWith('br0')) - Number(b.endsWith('br0'));

async function processesOf({ ofProcesses }: CgroupMounts, cgroups: readonly string[]): Promise<number[]> {
  const found = cgroups.filter((cgroup) => dirname(cgroup) === ofProcesses).map(processesBelow);
  return (await Promise.all(found)).flat();
}

/** Returns the mounts below a directory, or on it, the innermost first. */
export function mountsBelow(mountinfo: string, directory: string): string[] {
  const paths = mountinfo.split('\n').map((line) => (line.split(' ')[4] ?? '').replaceAll('\\040', ' '));
  return paths.filter((path) => path === directory || path.startsWith(`${directory}/`)).reverse();
}

/** A step of taking nodes down. */
export type TakeDownStep =
  | { readonly kind: 'run'; readonly command: readonly [string, ...string[]] }
  | { readonly kind: 'kill' }
  | { readonly kind: 'remove-cgroup'; readonly path: string }
  | { readonly kind: 'restore' }
  | { readonly kind: 'remove-state' };

/**
 * Returns the steps that take away what is there, in order: processes first, because everything else is busy while they run; mounts before
 * the directories that they are on.
 */
export function planTakeDown(remains: Remains): TakeDownStep[] {
  const command = (...words: [string, ...string[]]): TakeDownStep => ({ kind: 'run', command: words });
  return [
    ...(remains.cgroups.length > 0 ? [{ kind: 'kill' } as const] : []),
    ...remains.netns.map((name) => command('ip', 'netns', 'delete', name)),
    ...remains.links.map((name) => command('ip', 'link', 'delete', name)),
    ...remains.cgroups.map((path) => ({ kind: 'remove-cgroup', path }) as const),
    ...remains.mounts.map((path) => command('umount', '--lazy', path)),
    ...(remains.hasState ? [{ kind: 'restore' } as const, { kind: 'remove-state' } as const] : []),
  ];
}

/**
 * Takes away everything that nodes have on the machine, also after a crash. Rejects with all problems when something could not be taken
 * away, after everything else was.
 */
export async function takeDown(names: Names = nodeNames): Promise<void> {
  const problems: Error[] = [];
  for (const step of planTakeDown(await findRemains(names))) {
    await perform(step, names).catch((error: Error) => problems.push(error));
  }
  if (problems.length === 0) return;
  // An interface goes with its network namespace, perhaps between the search and its deletion.
  const left = await findRemains(names);
  const isGone = planTakeDown(left).length === 0;
  if (!isGone) {
    const told = problems.map(({ message }) => message.trim()).join('\n');
    throw new AggregateError(problems, `the nodes could not be taken down completely:\n${told}`);
  }
}

async function perform(step: TakeDownStep, names: Names): Promise<void> {
  if (step.kind === 'kill') await killAll(names);
  else if (step.kind === 'remove-cgroup') await removeWhenEmpty(step.path);
  else if (step.kind === 'restore') await restore(names);
  else if (step.kind === 'remove-state') {
    await rm(names.state, { recursive: true, force: true, maxRetries: 3 });
  } else await run(step.command[0], step.command.slice(1));
}

const killTimeoutMs = 30_000;

/** Kills the processes of nodes until there are none; a container's may start others meanwhile. */
async function killAll(names: Names): Promise<void> {
  for (const deadline = Date.now() + killTimeoutMs; ; ) {
    const { processes } = await findRemains(names);
    if (processes.length === 0) return;
    if (Date.now() > deadline) throw new Error(`processes ${processes.join(', ')} of nodes do not end`);
    for (const pid of processes) kill(pid);
    await delay(100);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has ended by itself.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** A cgroup is busy for a moment after its last process has ended. */
async function removeWhenEmpty(cgroup: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await removeCgroup(cgroup);
    } catch (error) {
      if (tries >= 50) throw error;
      await delay(100);
    }
  }
}

/** Sets kernel settings back. */
async function restore({ state }: Names): Promise<void> {
  const text = await readFile(join(state, changesFile), 'utf8').catch(() => undefined);
  // Nothing was changed yet.
  if (text === undefined) return;
  const { sysctls }: Changes = JSON.parse(text);
  for (const [name, value] of Object.entries(sysctls)) await writeFile(join('/proc/sys', name), value);
}
