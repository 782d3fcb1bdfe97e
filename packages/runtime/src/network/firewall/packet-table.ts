import type { Commands } from '@coxswain/linux';
import { runProgram, runWithInput } from '../programs/index.ts';
import { type TableContents, tableElements, wholeTable } from './table-text.ts';

export interface PacketTableOptions {
  readonly commands: Commands;
  /** The name of the table, of the family `inet`. It belongs to this class alone. */
  readonly name: string;
  /** What the table should contain now. */
  readonly contents: () => TableContents;
}

/**
 * The nftables table of a node: masquerade and host ports.
 *
 * Its contents are a function of what is recorded, and are always written as a whole, in one transaction. So a change that was interrupted,
 * or that somebody else made, is corrected by the next one. Changes that are wanted at the same time are written together.
 */
export class PacketTable {
  readonly #commands: Commands;
  readonly #name: string;
  readonly #contents: () => TableContents;
  /** False until this process has written the chains. */
  #isMade = false;
  #running: Promise<void> | undefined;
  /** The next write, which has not read the contents yet. */
  #next: Promise<void> | undefined;

  constructor({ commands, name, contents }: PacketTableOptions) {
    this.#commands = commands;
    this.#name = name;
    this.#contents = contents;
  }

  /** Resolves when the table has the contents of the time of the call, or later ones. */
  write(): Promise<void> {
    if (this.#next) return this.#next;
    const before = this.#running?.catch(() => undefined) ?? Promise.resolve();
    const next = before.then(() => {
      this.#next = undefined;
      this.#running = next;
      return this.#write();
    });
    this.#next = next;
    return next;
  }

  /** Makes the next `write` make the chains anew. */
  forget(): void {
    this.#isMade = false;
  }

  async remove(): Promise<void> {
    this.#isMade = false;
    // `add` first, so that it is no error if there is none.
    await this.#nft(`add table inet ${this.#name}\ndelete table inet ${this.#name}\n`);
  }

  async exists(): Promise<boolean> {
    const { status } = await this.#commands.run(['nft', 'list', 'chain', 'inet', this.#name, 'postrouting']);
    return status === 0;
  }

  async #write(): Promise<void> {
    if (this.#isMade) {
      try {
        return await this.#nft(tableElements(this.#name, this.#contents()));
      } catch {
        // Somebody has removed the table: a firewall that was started flushes all rules.
        this.#isMade = false;
      }
    }
    await this.#nft(wholeTable(this.#name, this.#contents()));
    this.#isMade = true;
  }

  async #nft(text: string): Promise<void> {
    await runWithInput(this.#commands, ['nft', '-f', '-'], text);
  }
}

/** Why nftables cannot be used on this machine; undefined if it can. */
export async function nftablesProblem(commands: Commands): Promise<string | undefined> {
  try {
    await runProgram(commands, ['nft', 'list', 'tables']);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The name of the nftables table of a network: letters, digits, `-` and `_`. */
export const tableName = (network: string): string =>
  network === 'coxswain' ? network : `coxswain-${network.replace(/[^A-Za-z0-9_-]/g, '_')}`;
