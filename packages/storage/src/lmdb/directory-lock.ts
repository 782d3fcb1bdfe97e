import { randomBytes } from 'node:crypto';
import { link, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDirectoryError } from './data-directory-error.ts';
import { lockAddress } from './lock-address.ts';
import { makeDirectory } from './make-directory.ts';

/** How often to begin again when others begin at the same moment. */
const maxAttempts = 100;

/** What a generation's file says. */
interface Holder {
  readonly pid: number;
  readonly socket: string;
}

/**
 * One process at a time for a directory.
 *
 * Whoever holds the lock listens on a socket, and the system closes that however the process ends: a holder is alive if
 * and only if its socket answers, even from another container. Which socket counts is said by files with numbers: the
 * highest number is the holder's. To take over from a dead holder is to create the next number, which only one can; the
 * highest number is never removed, so whoever is late finds out. No moment exists in which something must be removed
 * before something else is made, as that is where two could pass.
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

  /** Throws a `DataDirectoryError` that names the holder's process if there is one. */
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

  /** The process that holds it now; undefined when none does. Changes nothing. */
  static async holder(dataDirectory: string): Promise<number | undefined> {
    const directory = join(dataDirectory, 'lock');
    const holder = await holderOf(directory, (await generationsOf(directory)).at(-1) ?? 0);
    return holder && (await isAlive(directory, holder.socket)) ? holder.pid : undefined;
  }

  /** The file that named this holder stays: the next one goes on from its number. */
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
      // Somebody may have been faster by more than one, and may have removed what was there before this number.
      const generations = await generationsOf(this.#directory);
      if (generations.at(-1) === mine) {
        await this.#cleanUp(generations.filter((each) => each < mine - 1));
        return;
      }
      await rm(fileOf(this.#directory, mine), { force: true });
    }
    throw new DataDirectoryError(dataDirectory, 'could not be locked: too many processes try at once');
  }

  /** Whether it was this call that created it. */
  async #create(generation: number, claim: string): Promise<boolean> {
    try {
      await link(claim, fileOf(this.#directory, generation));
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** Removes what dead processes left behind. Sockets that answer belong to somebody who is about to find us. */
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

/** From the lowest on; none where there is no such directory. */
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

/** Undefined where there is none, or only what a crash of the machine left of it. */
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

/** Calls it with a path of the socket that is short enough: where its own is not, by way of a symbolic link. */
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
        // Later ones, of connections that could not be taken, are of no interest: nothing is said on them.
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
        // Whoever is too busy to answer is alive. Only these say that nobody listens.
        connection.once('error', (error) => {
          const code = codeOf(error);
          resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT' && code !== 'ENOTSOCK');
        });
      }),
  );
}
