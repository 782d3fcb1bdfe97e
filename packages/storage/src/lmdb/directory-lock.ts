import { randomBytes } from 'node:crypto';
import { link, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDirectoryError } from './data-directory-error.ts';
import { lockAddress } from './lock-address.ts';
import { makeDirectory } from './make-directory.ts';

/** The largest number of attempts when other processes take the lock at the same time. */
const maxAttempts = 100;

/** The contents of a generation's file. */
interface Holder {
  readonly pid: number;
  readonly socket: string;
}

/**
 * A lock that lets one process at a time use a directory.
 *
 * The holder of the lock listens on a socket, which the system closes however the process ends. So a holder is alive if
 * and only if its socket answers, even from another container. Files with numbers (generations) name the sockets: the
 * one with the highest number is the holder's. A process takes over from a dead holder by creating the next number,
 * which only one process can do. The highest number is never removed, so that slower processes notice it. At no point a
 * file must be removed before another is created: in between, two processes could both take the lock.
 */
export class DirectoryLock {
  readonly #directory: string;
  readonly #server: Server;
  readonly #socket: string;

  private constructor(directory: string, server: Server, socket: string) {
    this.#directory = directory;
    this.#server = server;
    this.#socket = socket;
  }

  /** Takes the lock. Throws a `DataDirectoryError` that names the holder's process when it is held. */
  static async acquire(dataDirectory: string): Promise<DirectoryLock> {
    const directory = join(dataDirectory, 'lock');
    await makeDirectory(directory);
    const name = `${process.pid}-${randomBytes(6).toString('hex')}`;
    const socket = `${name}.sock`;
    const server = await listen(directory, socket);
    const lock = new DirectoryLock(directory, server, socket);
    const claim = join(directory, `${name}.json`);
    try {
      await writeFile(claim, JSON.stringify({ pid: process.pid, socket } satisfies Holder), { mode: 0o600 });
      await lock.#takeOver(dataDirectory, claim);
    } catch (error) {
      await lock.release();
      throw error;
    } finally {
      await rm(claim, { force: true });
    }
    return lock;
  }

  /** Returns the id of the process that holds the lock; undefined when it is free. Changes nothing. */
  static async holder(dataDirectory: string): Promise<number | undefined> {
    const directory = join(dataDirectory, 'lock');
    const holder = await holderOf(directory, (await generationsOf(directory)).at(-1) ?? 0);
    return holder && (await isAlive(directory, holder.socket)) ? holder.pid : undefined;
  }

  /** Releases the lock. The generation's file stays, so that the next holder continues from its number. */
  async release(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(join(this.#directory, this.#socket), { force: true });
  }

  async #takeOver(dataDirectory: string, claim: string): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const newest = (await generationsOf(this.#directory)).at(-1) ?? 0;
      const holder = await holderOf(this.#directory, newest);
      if (holder !== undefined && (await isAlive(this.#directory, holder.socket))) {
        const who = holder.pid === process.pid ? 'this process' : `process ${holder.pid}`;
        throw new DataDirectoryError(dataDirectory, `is in use by ${who}`);
      }
      const mine = newest + 1;
      if (!(await this.#create(mine, claim))) continue;
      // Another process may have created a higher number already, and have removed the numbers before it.
      const generations = await generationsOf(this.#directory);
      if (generations.at(-1) === mine) {
        await this.#cleanUp(generations.filter((each) => each < mine - 1));
        return;
      }
      await rm(fileOf(this.#directory, mine), { force: true });
    }
    throw new DataDirectoryError(dataDirectory, 'could not be locked: too many processes try at once');
  }

  /** Creates the generation's file. Returns false when it exists. */
  async #create(generation: number, claim: string): Promise<boolean> {
    try {
      await link(claim, fileOf(this.#directory, generation));
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /**
   * Removes the files of dead processes. Sockets that answer belong to processes that are about to notice this lock.
   */
  async #cleanUp(generations: readonly number[]): Promise<void> {
    for (const generation of generations) await rm(fileOf(this.#directory, generation), { force: true });
    for (const name of await readdir(this.#directory)) {
      const stale = /^[0-9]+-[0-9a-f]{12}\.(sock|json)$/.exec(name);
      if (stale === null || name.startsWith(this.#socket.slice(0, -'.sock'.length))) continue;
      const socket = name.replace(/json$/, 'sock');
      if (!(await isAlive(this.#directory, socket))) await rm(join(this.#directory, name), { force: true });
    }
  }
}

const fileOf = (directory: string, generation: number): string => join(directory, `${generation}.lock`);

/** Returns the generations in ascending order; none when the directory does not exist. */
async function generationsOf(directory: string): Promise<number[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  });
  return names
    .flatMap((name) => /^([1-9][0-9]{0,14})\.lock$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** Returns undefined when there is no such file, or when a crash of the machine left it incomplete. */
async function holderOf(directory: string, generation: number): Promise<Holder | undefined> {
  if (generation === 0) return undefined;
  try {
    const holder: unknown = JSON.parse(await readFile(fileOf(directory, generation), 'utf8'));
    return isHolder(holder) ? holder : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isHolder(value: unknown): value is Holder {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    typeof value.pid === 'number' &&
    'socket' in value &&
    typeof value.socket === 'string' &&
    /^[0-9a-f-]+\.sock$/.test(value.socket)
  );
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/**
 * Calls `use` with a path of the socket that is short enough for a socket address. When the socket's own path is too
 * long, that is one through a temporary symbolic link.
 */
async function withShortPath<T>(directory: string, socket: string, use: (path: string) => Promise<T>): Promise<T> {
  const { path, isTooLong } = lockAddress(directory, socket);
  if (!isTooLong) return use(path);
  const detour = await mkdtemp(join(tmpdir(), 'cox-'));
  try {
    await symlink(directory, join(detour, 'd'));
    return await use(join(detour, 'd', socket));
  } finally {
    await rm(detour, { recursive: true, force: true });
  }
}

function listen(directory: string, socket: string): Promise<Server> {
  return withShortPath(
    directory,
    socket,
    (path) =>
      new Promise((resolve, reject) => {
        const server = createServer((connection) => connection.destroy());
        server.unref();
        // Later errors, of failed accepts, have no effect: no data is exchanged on the connections.
        server.on('error', reject);
        server.listen(path, () => resolve(server));
      }),
  );
}

function isAlive(directory: string, socket: string): Promise<boolean> {
  return withShortPath(
    directory,
    socket,
    (path) =>
      new Promise((resolve) => {
        const connection = connect(path);
        connection.once('connect', () => {
          connection.destroy();
          resolve(true);
        });
        // A process that is too busy to answer is alive. Only these errors mean that no process listens.
        connection.once('error', (error) => {
          const code = codeOf(error);
          resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT' && code !== 'ENOTSOCK');
        });
      }),
  );
}
