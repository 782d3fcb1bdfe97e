/**
 * Loads the files that `cox` was joined into, together with what V8 made of them last time: to compile them takes longer
 * than to start an API server. What was compiled lies beside the files, where nobody can write who could not change the
 * files themselves; V8 refuses it when it is of another version or another text, and then all is compiled anew.
 */
import { closeSync, fstatSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';

export class Bundle {
  #directory;
  #requireElse;
  /** By file: the script, what it exports, and whether it had not to be compiled. */
  #loaded = new Map();

  constructor(directory) {
    this.#directory = directory;
    this.#requireElse = createRequire(join(directory, 'cox.cjs'));
  }

  /** What a file exports. */
  load(file) {
    const known = this.#loaded.get(file);
    if (known) return known.module.exports;
    const filename = join(this.#directory, file);
    const cachedData = readIfThere(this.#cacheOf(file));
    const script = new Script(read(filename).latin1Slice(), { filename, cachedData });
    const module = { exports: {} };
    this.#loaded.set(file, { script, module, reused: cachedData !== undefined && !script.cachedDataRejected });
    const require = (id) => (id.startsWith('./') ? this.load(id.slice(2)) : this.#requireElse(id));
    script.runInThisContext()(module.exports, require, module);
    return module.exports;
  }

  /** The files of which nothing had to be compiled. */
  get reused() {
    return [...this.#loaded].filter(([, { reused }]) => reused).map(([file]) => file);
  }

  /** Keeps what was compiled until now, of files of which nothing is kept yet. It matters to nobody if it cannot. */
  keepCompiled() {
    for (const [file, { script, reused }] of this.#loaded) {
      if (reused) continue;
      try {
        const cache = this.#cacheOf(file);
        const own = `${cache}.${process.pid}`;
        writeFileSync(own, script.createCachedData());
        renameSync(own, cache);
      } catch {
        return;
      }
    }
  }

  /** Several versions of Node may share an installation; and what was compiled under other flags V8 refuses. */
  #cacheOf(file) {
    const flags = process.execArgv.filter((flag) => flag.startsWith('--max-')).map((flag) => flag.replace(/\W+/g, '-'));
    return join(this.#directory, `${[file, process.version, process.arch].join('.')}${flags.join('')}.cache`);
  }
}

function readIfThere(path) {
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
function read(path) {
  const descriptor = openSync(path);
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.from(new ArrayBuffer(size, { maxByteLength: size }));
    for (let at = 0, count = -1; at < size && count !== 0; at += count)
      count = readSync(descriptor, bytes, at, size - at);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}
