import { closeSync, fstatSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import { threadId } from 'node:worker_threads';

export interface KeptScriptsOptions {
  /** Modules that the scripts share with the rest of the program, by the names they are required by. */
  readonly modules?: Readonly<Record<string, unknown>>;
}

interface Loaded {
  readonly script: Script;
  readonly module: { readonly exports: unknown };
  /** True when V8 accepted the code cache, so that the script was not compiled. */
  readonly reused: boolean;
}

type ScriptFunction = (exports: unknown, require: (id: string) => unknown, module: object) => void;

/**
 * Loads scripts that were bundled from many modules (`scripts/build-scripts.ts`), with V8's code cache of an earlier run: compiling them
 * takes longer than starting an API server. The cache files lie beside the scripts, so whoever can write them could change the scripts as
 * well. V8 rejects a cache of another version or another source; the script is then compiled again.
 */
export class KeptScripts {
  readonly #directory: string;
  readonly #modules: Readonly<Record<string, unknown>>;
  readonly #requireElse: NodeJS.Require;
  readonly #loaded = new Map<string, Loaded>();
  #isKept = false;

  constructor(directory: string, { modules = {} }: KeptScriptsOptions = {}) {
    this.#directory = directory;
    this.#modules = modules;
    this.#requireElse = createRequire(join(directory, 'any.cjs'));
  }

  /** Loads a script and returns its exports. */
  load(file: string): unknown {
    const known = this.#loaded.get(file);
    if (known) return known.module.exports;
    const filename = join(this.#directory, file);
    const cachedData = readIfThere(this.#cacheOf(file));
    const script = new Script(read(filename).toString('latin1'), { filename, ...(cachedData && { cachedData }) });
    const module = { exports: {} };
    this.#loaded.set(file, { script, module, reused: cachedData !== undefined && !script.cachedDataRejected });
    (script.runInThisContext() as ScriptFunction)(module.exports, (id) => this.#require(id), module);
    return module.exports;
  }

  /** The scripts that were loaded from the code cache without compiling. */
  get reused(): string[] {
    return [...this.#loaded].filter(([, { reused }]) => reused).map(([file]) => file);
  }

  /**
   * Writes the code cache of all loaded scripts that do not have one yet. Only the first call has an effect. Errors are ignored: the cache
   * is optional.
   */
  keepCompiled(): void {
    if (this.#isKept) return;
    this.#isKept = true;
    try {
      for (const [file, { script, reused }] of this.#loaded) if (!reused) this.#keep(file, script);
    } catch {
      // The directory is not writable, or the disk is full.
    }
  }

  #keep(file: string, script: Script): void {
    const cache = this.#cacheOf(file);
    const own = `${cache}.${process.pid}-${threadId}`;
    // Opened first: if it cannot be written, the cached data is not computed either.
    const descriptor = openSync(own, 'w');
    try {
      writeFileSync(descriptor, script.createCachedData());
    } finally {
      closeSync(descriptor);
    }
    renameSync(own, cache);
  }

  #require(id: string): unknown {
    if (id.startsWith('./')) return this.load(id.slice(2));
    return Object.hasOwn(this.#modules, id) ? this.#modules[id] : this.#requireElse(id);
  }

  /**
   * The name contains the version of Node and V8's cache tag: several versions of Node may share an installation, and V8 rejects code that
   * was compiled with other flags.
   */
  #cacheOf(file: string): string {
    return join(this.#directory, `${file}.${process.version}-${cachedDataVersionTag().toString(16)}.cache`);
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}

/**
 * Reads a file into a resizable ArrayBuffer, whose memory V8 takes from the system and returns to it when freed. Other buffers are
 * allocated by glibc: once it has freed a large one, it retains as much of the memory that is freed later.
 */
function read(path: string): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.from(newResizableBuffer(size));
    for (let at = 0, count = -1; at < size && count !== 0; at += count)
      count = readSync(descriptor, bytes, at, size - at, null);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/** TypeScript's library does not declare `maxByteLength`, which Node 20 supports. */
const newResizableBuffer = (size: number): ArrayBuffer =>
  Reflect.construct(ArrayBuffer, [size, { maxByteLength: size }]) as ArrayBuffer;
