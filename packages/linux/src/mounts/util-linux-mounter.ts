import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Commands } from '../commands/index.ts';
import { type MountEntry, readMountInfo, readMountPoints } from './mount-info.ts';
import { type BindMountRequest, MountError, type Mounter, type MountRequest, type UnmountOptions } from './mounter.ts';

/** Mounts with `mount` and `umount` of util-linux. */
export class UtilLinuxMounter implements Mounter {
  readonly #commands: Commands;
  readonly #procRoot: string;

  constructor(commands: Commands, procRoot = '/proc') {
    this.#commands = commands;
    this.#procRoot = procRoot;
  }

  async mount({ source, target, type, options = [] }: MountRequest, signal?: AbortSignal): Promise<void> {
    const flags = [...(type === undefined ? [] : ['-t', type]), ...(options.length ? ['-o', options.join(',')] : [])];
    await this.#mount([...flags, '--', source, target], signal);
  }

  async bindMount(request: BindMountRequest, signal?: AbortSignal): Promise<void> {
    const { source, target, readOnly = false, recursive = false, propagation } = request;
    const options = [recursive ? 'rbind' : 'bind', ...(readOnly ? ['ro'] : []), ...(propagation ? [propagation] : [])];
    // The program must not resolve the path itself: the link of a file descriptor in /proc has a text that need not be a path.
    await this.#mount(['--no-canonicalize', '-o', options.join(','), '--', source, target], signal);
  }

  async remount(target: string, options: readonly string[], signal?: AbortSignal): Promise<void> {
    await this.#mount(['--no-canonicalize', '-o', ['remount', 'bind', ...options].join(','), '--', target], signal);
  }

  async unmount(target: string, { lazy = false, force = false, signal }: UnmountOptions = {}): Promise<void> {
    const path = await this.#mountPointOf(target);
    if (path === undefined) return;
    const args = ['--no-canonicalize', ...(lazy ? ['--lazy'] : []), ...(force ? ['--force'] : []), '--', path];
    const { status, output } = await this.#commands.run(['umount', ...args], { signal });
    // Another process may have unmounted it meanwhile.
    if (status === 0 || !(await this.isMountPoint(target))) return;
    const message = `unmount failed: exit status ${status}\nUnmounting arguments: ${path}\nOutput: ${output}`;
    throw new MountError(message, { status, output });
  }

  async makeShared(target: string, signal?: AbortSignal): Promise<void> {
    if (!(await this.isMountPoint(target))) await this.bindMount({ source: target, target, recursive: true }, signal);
    await this.#mount(['--no-canonicalize', '--make-rshared', '--', target], signal);
  }

  list(): Promise<MountEntry[]> {
    return readMountInfo(this.#procRoot);
  }

  async isMountPoint(path: string): Promise<boolean> {
    return (await this.#mountPointOf(path)) !== undefined;
  }

  async mountsBelow(directory: string): Promise<MountEntry[]> {
    const path = await pathOfEntry(directory);
    if (path === undefined) return [];
    const prefix = path === '/' ? '/' : `${path}/`;
    const mounts = await this.list();
    return mounts.filter(({ mountPoint }) => mountPoint.startsWith(prefix) && mountPoint !== path).reverse();
  }

  /** The path as the kernel has it, if something is mounted there. */
  async #mountPointOf(path: string): Promise<string | undefined> {
    const entry = await pathOfEntry(path);
    if (entry === undefined) return undefined;
    const mountPoints = await readMountPoints(this.#procRoot);
    return mountPoints.includes(entry) ? entry : undefined;
  }

  async #mount(args: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const { status, output } = await this.#commands.run(['mount', ...args], { signal });
    if (status === 0) return;
    const shown = args.filter((arg) => arg !== '--' && arg !== '--no-canonicalize').join(' ');
    const message = `mount failed: exit status ${status}\nMounting command: mount\nMounting arguments: ${shown}\nOutput: ${output}`;
    throw new MountError(message, { status, output });
  }
}

/** Resolves symbolic links in all components but the last, which it does not look at. Undefined if the parent does not exist. */
async function pathOfEntry(path: string): Promise<string | undefined> {
  const absolute = resolve(path);
  if (absolute === '/') return absolute;
  try {
    return join(await realpath(dirname(absolute)), basename(absolute));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
