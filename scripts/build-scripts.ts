import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { writeLicenses } from './third-party-licenses.ts';

export interface ScriptsOptions {
  /** Name of a script → its entry module. */
  readonly input: Readonly<Record<string, string>>;
  /** The output directory. Its former contents are deleted. */
  readonly directory: string;
  /** Modules to `require` instead of bundling them, besides Node's own modules and those with native parts. */
  readonly external?: RegExp;
}

/** The file names of the scripts, and the modules that they require. */
export interface BuiltScripts {
  readonly files: readonly string[];
  readonly requires: readonly string[];
}

/**
 * Bundles a module and its dependencies into a few scripts for `KeptScripts` of component-base: Node 20 caches compiled code only for
 * scripts. Dynamically imported modules get their own scripts.
 */
export async function buildScripts({ input, directory, external }: ScriptsOptions): Promise<BuiltScripts> {
  await rm(directory, { recursive: true, force: true });
  const bundle = await rolldown({
    input: { ...input },
    platform: 'node',
    external: ['lmdb', '@grpc/grpc-js', /^node:/, ...(external ? [external] : [])],
  });
  const { output } = await bundle.write({
    dir: directory,
    format: 'cjs',
    // A script with cached code cannot use `import()`; external modules are loaded with `require`.
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    // Names are kept for stack traces.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  for (const file of await readdir(directory)) await makeFunction(join(directory, file));
  await writeLicenses(output, directory);
  const chunks = output.filter((each) => each.type === 'chunk');
  const named = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  const files = chunks.map(({ fileName }) => fileName);
  return { files, requires: [...new Set(named)].filter((name) => !files.includes(name)).sort() };
}

/**
 * Escapes non-ASCII characters, because V8 stores ASCII-only text in half the memory and reads it in half the time; and wraps the text in a
 * function with Node's module parameters, so that it is compiled exactly as it was read.
 */
async function makeFunction(path: string): Promise<void> {
  const text = (await readFile(path, 'utf8')).replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  await writeFile(path, `(function (exports, require, module) {${text}\n})`);
}
