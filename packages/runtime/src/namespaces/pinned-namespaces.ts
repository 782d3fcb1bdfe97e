import { mkdir, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Commands } from '@coxswain/linux';
import { makingScript, settingScript } from './making-script.ts';
import { sysctlPath } from './sysctl-path.ts';

export type NamespaceType = 'net' | 'ipc' | 'uts' | 'user';

/** A range of ids of a user namespace. */
export interface IDMapping {
  readonly containerID: number;
  readonly hostID: number;
  readonly length: number;
}

export interface NamespacesRequest {
  /** The id of the sandbox: letters, digits, `-`, `_` and `.`. */
  readonly id: string;
  /** The namespaces to make. What is not listed is the node's. */
  readonly types: readonly Exclude<NamespaceType, 'user'>[];
  /** With a user namespace, the other namespaces belong to it. */
  readonly user?:
    | { readonly uidMappings: readonly IDMapping[]; readonly gidMappings: readonly IDMapping[] }
    | undefined;
  /** Needs the type `uts`. */
  readonly hostname?: string | undefined;
  /** Needs the type `uts`. */
  readonly domainname?: string | undefined;
  /**
   * By names with dots, `net.core.somaxconn`, or with slashes. Each must belong to one of the namespaces that are made. Those of an
   * interface that does not exist yet are for `setSysctls`.
   */
  readonly sysctls?: Readonly<Record<string, string>>;
}

/** Where the namespaces of a sandbox are pinned. Each path is a file that `setns` takes, as in the OCI configuration of a container. */
export type NamespacePaths = { readonly [Type in NamespaceType]?: string };

export interface PinnedNamespacesOptions {
  /** Belongs to this class alone. On a file system that is empty after a reboot, such as /run, if there is one. */
  readonly directory: string;
  readonly commands: Commands;
}

/** The kind of the file system of namespaces, as statfs tells it. */
const nsfs = 0x6e736673;
const allTypes: readonly NamespaceType[] = ['net', 'ipc', 'uts', 'user'];

/**
 * Namespaces that no process holds: each is mounted at a file `<directory>/<id>/<type>`.
 *
 * The file is made before the namespace is, so what an interrupted call has left is found by `list` and taken away by `remove`. All the
 * namespaces of a sandbox are made, and their sysctls set, by one command.
 */
export class PinnedNamespaces {
  readonly #directory: string;
  readonly #commands: Commands;

  constructor({ directory, commands }: PinnedNamespacesOptions) {
    this.#directory = directory;
    this.#commands = commands;
  }

  /**
   * Makes the namespaces of a sandbox, with the loopback interface up. What an earlier, interrupted call with this id has left is removed
   * first. If it fails, nothing is left.
   */
  async make(request: NamespacesRequest, signal?: AbortSignal): Promise<NamespacePaths> {
    const { id, types, user } = request;
    const settings = settingsOf(request);
    await this.remove(id);
    const directory = this.#directoryOf(id);
    await mkdir(directory, { recursive: true, mode: 0o711 });
    const made: NamespaceType[] = [...new Set<NamespaceType>(user ? [...types, 'user'] : types)];
    await Promise.all(made.map((type) => writeFile(join(directory, type), '', { mode: 0o444 })));
    try {
      const { status, output } = await this.#commands.run(makingScript(directory, made, user, settings), { signal });
      if (status !== 0) throw new Error(`failed to make namespaces: ${output.trim() || `exit status ${status}`}`);
    } catch (error) {
      await this.remove(id);
      throw error;
    }
    return Object.fromEntries(made.map((type) => [type, join(directory, type)]));
  }

  /** Sets sysctls in the namespaces of a sandbox, such as those of an interface. */
  async setSysctls(id: string, sysctls: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<void> {
    const settings = Object.entries(sysctls).map(([name, value]) => [sysctlPath(name), value] as const);
    if (settings.length === 0) return;
    const paths = await this.find(id);
    if (Object.keys(paths).length === 0) throw new Error(`sandbox ${id} has no namespaces`);
    const { status, output } = await this.#commands.run(settingScript(paths, settings), { signal });
    if (status !== 0) throw new Error(output.trim() || `exit status ${status}`);
  }

  /** The namespaces of a sandbox that exist now: none after a reboot, maybe some after an interrupted call. */
  async find(id: string): Promise<NamespacePaths> {
    const found = await Promise.all(
      allTypes.map(async (type) => {
        const path = join(this.#directoryOf(id), type);
        return (await isPinned(path)) ? [[type, path]] : [];
      }),
    );
    return Object.fromEntries(found.flat());
  }

  /** Ids of all sandboxes that have something here: namespaces, or the traces of an interrupted call, or of a reboot. */
  async list(): Promise<readonly string[]> {
    const entries = await readdir(this.#directory).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    });
    return entries.filter((name) => isId(name));
  }

  /** Unpins the namespaces of a sandbox. The kernel removes each when the last process in it has ended. Succeeds if there are none. */
  async remove(id: string): Promise<void> {
    const directory = this.#directoryOf(id);
    // A call that was killed may have pinned one over another, or may do so while this runs: then the directory is busy.
    for (let round = 1; ; round++) {
      const pinned = Object.values(await this.find(id));
      if (pinned.length > 0) {
        const { status, output } = await this.#commands.run(['umount', '-l', '--', ...pinned]);
        if (status !== 0 && round === maxRounds) throw new Error(`failed to unmount namespaces: ${output.trim()}`);
      }
      try {
        return await rm(directory, { recursive: true, force: true });
      } catch (error) {
        if (round === maxRounds || !hasCode(error, 'EBUSY')) throw error;
      }
    }
  }

  /** Removes the namespaces of all sandboxes, and the directory. */
  async removeAll(): Promise<void> {
    for (const id of await this.list()) await this.remove(id);
    await rm(this.#directory, { recursive: true, force: true });
  }

  #directoryOf(id: string): string {
    if (!isId(id)) throw new Error(`invalid sandbox id ${JSON.stringify(id)}`);
    return join(this.#directory, id);
  }
}

const maxRounds = 8;

const isId = (id: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(id);

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

async function isPinned(path: string): Promise<boolean> {
  try {
    return (await statfs(path)).type === nsfs;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** All settings of a request as files below /proc/sys with their values. */
function settingsOf({ types, hostname, domainname, sysctls = {} }: NamespacesRequest): (readonly [string, string])[] {
  if ((hostname !== undefined || domainname !== undefined) && !types.includes('uts')) {
    throw new Error('a hostname needs a uts namespace');
  }
  const settings = Object.entries(sysctls).map(([name, value]) => [sysctlPath(name, types), value] as const);
  if (hostname !== undefined) settings.push(['kernel/hostname', hostname]);
  if (domainname !== undefined) settings.push(['kernel/domainname', domainname]);
  return settings;
}
