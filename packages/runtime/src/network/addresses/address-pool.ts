import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AddressRange } from './address-range.ts';

export interface AddressPoolOptions {
  readonly directory: string;
}

/**
 * Assigns the addresses of pods, and keeps a file for each: its name is the address, its text the owner.
 *
 * The file is made only if it does not exist, before the address is used, so no address is assigned twice, even by two processes. Addresses
 * are taken in turn: a released one is used again only when all others of the range had their turn.
 */
export class AddressPool {
  readonly #directory: string;
  /** Owner by address, as on disk. Undefined until it was read. */
  #owners: Map<string, string> | undefined;
  /** The index to try next, by range. */
  readonly #next = new Map<string, bigint>();

  constructor({ directory }: AddressPoolOptions) {
    this.#directory = directory;
  }

  /** Assigns an address of each range to an owner. If a range is full, nothing is assigned. */
  async assign(owner: string, ranges: readonly AddressRange[]): Promise<readonly string[]> {
    const assigned: string[] = [];
    try {
      for (const range of ranges) assigned.push(await this.#assignOne(owner, range));
      return assigned;
    } catch (error) {
      for (const address of assigned) await this.#free(address);
      throw error;
    }
  }

  /** Releases all addresses of an owner. */
  async release(owner: string): Promise<void> {
    const owners = await this.#read();
    for (const [address, other] of owners) if (other === owner) await this.#free(address);
  }

  /** Releases what belongs to none of these owners, also addresses whose owner is unreadable. */
  async keepOnly(owners: ReadonlySet<string>): Promise<void> {
    for (const [address, owner] of await this.#read()) if (!owners.has(owner)) await this.#free(address);
  }

  async owners(): Promise<ReadonlyMap<string, string>> {
    return await this.#read();
  }

  async #assignOne(owner: string, range: AddressRange): Promise<string> {
    const owners = await this.#read();
    const start = await this.#start(range);
    for (let tried = 0n; tried < range.size; tried++) {
      const index = (start + tried) % range.size;
      const address = range.address(index);
      // As many addresses as have owners are tried at most, and one more.
      if (owners.has(address)) continue;
      owners.set(address, owner);
      this.#next.set(String(range), (index + 1n) % range.size);
      try {
        await writeFile(this.#path(address), owner, { flag: 'wx', mode: 0o600 });
      } catch (error) {
        if (!hasCode(error, 'EEXIST')) {
          owners.delete(address);
          throw error;
        }
        // Another process has it.
        owners.set(address, await readFile(this.#path(address), 'utf8').catch(() => ''));
        continue;
      }
      await writeFile(this.#lastPath(range), address, { mode: 0o600 });
      return address;
    }
    throw new Error(`no IP addresses available in range set: ${range.address(0n)}-${range.address(range.size - 1n)}`);
  }

  /** Where to begin: after the address that was assigned last. */
  async #start(range: AddressRange): Promise<bigint> {
    const known = this.#next.get(String(range));
    if (known !== undefined) return known;
    const last = range.indexOf(await readFile(this.#lastPath(range), 'utf8').catch(() => ''));
    const start = last === undefined ? 0n : (last + 1n) % range.size;
    // Another call may have assigned an address meanwhile.
    const found = this.#next.get(String(range)) ?? start;
    this.#next.set(String(range), found);
    return found;
  }

  async #free(address: string): Promise<void> {
    await rm(this.#path(address), { force: true });
    this.#owners?.delete(address);
  }

  async #read(): Promise<Map<string, string>> {
    if (this.#owners) return this.#owners;
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const owners = new Map<string, string>();
    for (const name of await readdir(this.#directory)) {
      if (name.startsWith('last.')) continue;
      owners.set(name.replaceAll('_', ':'), await readFile(join(this.#directory, name), 'utf8').catch(() => ''));
    }
    this.#owners ??= owners;
    return this.#owners;
  }

  #path(address: string): string {
    return join(this.#directory, address.replaceAll(':', '_'));
  }

  #lastPath(range: AddressRange): string {
    return join(this.#directory, `last.${String(range).replace(/[:/]/g, '_')}`);
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
