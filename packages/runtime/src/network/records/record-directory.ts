import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface RecordDirectoryOptions<T> {
  readonly directory: string;
  /** Returns undefined if the value is not such a record. */
  readonly parse: (value: unknown) => T | undefined;
  /** The form on disk. The record itself by default. */
  readonly format?: (record: T) => unknown;
}

/**
 * One JSON file for each id. A file is replaced as a whole, so a killed process leaves the old record or the new one. A record that a power
 * failure or a person has damaged is still listed, as undefined: its id is known, its contents are not.
 */
export class RecordDirectory<T> {
  readonly #directory: string;
  readonly #parse: (value: unknown) => T | undefined;
  readonly #format: (record: T) => unknown;
  #isMade = false;

  constructor({ directory, parse, format = (record) => record }: RecordDirectoryOptions<T>) {
    this.#directory = directory;
    this.#parse = parse;
    this.#format = format;
  }

  async write(id: string, record: T): Promise<void> {
    const path = this.#path(id);
    if (!this.#isMade) await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    this.#isMade = true;
    const text = JSON.stringify(this.#format(record));
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  async has(id: string): Promise<boolean> {
    return (await this.#text(id)) !== undefined;
  }

  /** Undefined if there is none, or if it is damaged. */
  async read(id: string): Promise<T | undefined> {
    return this.#record(await this.#text(id));
  }

  async remove(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
  }

  async list(): Promise<ReadonlyMap<string, T | undefined>> {
    const names = await readdir(this.#directory).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    const records = new Map<string, T | undefined>();
    for (const name of names.sort()) {
      if (!name.endsWith('.json')) continue;
      const id = name.slice(0, -'.json'.length);
      if (isId(id)) records.set(id, await this.read(id));
    }
    return records;
  }

  async #text(id: string): Promise<string | undefined> {
    try {
      return await readFile(this.#path(id), 'utf8');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  #record(text: string | undefined): T | undefined {
    if (text === undefined) return undefined;
    try {
      return this.#parse(JSON.parse(text));
    } catch {
      return undefined;
    }
  }

  #path(id: string): string {
    if (!isId(id)) throw new Error(`invalid sandbox id ${JSON.stringify(id)}`);
    return join(this.#directory, `${id}.json`);
  }
}

const isId = (id: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(id);

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';
