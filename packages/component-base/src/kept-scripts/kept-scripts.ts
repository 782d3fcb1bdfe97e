import { closeSync, fstatSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import { threadId } from 'node:worker_threads';

export interface KeptScriptsOptions {
  /** Modules that the scripts share with others, by the names they require them by. */
  readonly modules?: Readonly<Record<string, unknown>>;
}

interface Loaded {
  readonly script: Script;
  readonly module: { readonly exports: unknown };
  /** It had not to be compiled. */
  readonly reused: boolean;
}

type ScriptFunction = (exports: unknown, require: (id: string) => unknown, module: object) => void;

/**
 * Scripts that were joined of many modules (`scripts/build-scripts.ts`), together with what V8 made of them last time: to compile them
 * takes longer than to start an API server. What was compiled lies beside the scripts, where nobody can write who could
 * not change the scripts themselves; V8 refuses it when it is of another version or another text, and then all is compiled anew.
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

  /** What a script exports. */
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

  /** The scripts of which nothing had to be compiled. */
  get reused(): string[] {
    return [...this.#loaded].filter(([, { reused }]) => reused).map(([file]) => file);
  }

  /** Keeps what was compiled until now, of scripts of which nothing is kept yet; once. It matters to nobody if it cannot. */
  keepCompiled(): void {
    if (this.#isKept) return;
    this.#isKept = true;
    try {
      for (const [file, { script, reused }] of this.#loaded) if (!reused) this.#keep(file, script);
    } catch {
      // Nobody may write there, or there is no room.
    }
  }

  #keep(file: string, script: Script): void {
    const cache = this.#cacheOf(file);
    const own = `${cache}.${process.pid}-${threadId}`;
    // Where nothing can be written, nothing is made ready for it either.
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

  /** Several versions of Node may share an installation, and what was compiled under other flags V8 refuses: its tag tells all of that. */
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
 * Into memory that V8 takes from the system and gives back there, as it is of a buffer that may be resized. Other buffers are
 * glibc's, and once a large one of these was freed, it holds on to as much of whatever is freed after it.
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

/** The compiler's library knows only a part of what Node 20 has. */
const newResizableBuffer = (size: number): ArrayBuffer =>
  Reflect.construct(ArrayBuffer, [size, { maxByteLength: size }]) as ArrayBuffer;
