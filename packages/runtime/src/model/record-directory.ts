import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically } from './atomic-file.ts';

const fileName = 'record.json';

/** A directory for each id, with a record and files that belong to it. What is there has been made, or was about to be made. */
export class RecordDirectory {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  directoryOf(id: string): string {
    return join(this.#path, id);
  }

  /** Writes a new record, before anything else of it is made. */
  async add(id: string, record: object): Promise<void> {
    await mkdir(this.directoryOf(id), { recursive: true, mode: 0o711 });
    await this.write(id, record);
  }

  async write(id: string, record: object): Promise<void> {
    await writeAtomically(join(this.directoryOf(id), fileName), JSON.stringify(record));
  }

  /** Removes the record and all its files: the last step of a removal. */
  async remove(id: string): Promise<void> {
    await rm(this.directoryOf(id), { recursive: true, force: true });
  }

  /** All records by id. The value is undefined where a crash left a directory without a readable record. */
  async load(): Promise<ReadonlyMap<string, unknown>> {
    await mkdir(this.#path, { recursive: true, mode: 0o711 });
    const records = new Map<string, unknown>();
    for (const id of await readdir(this.#path)) {
      const text = await readFile(join(this.directoryOf(id), fileName), 'utf8').catch(() => '');
      records.set(id, parse(text));
    }
    return records;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
