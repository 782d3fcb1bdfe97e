import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { writeLicenses } from './third-party-licenses.ts';

export interface ScriptsOptions {
  /** Name of a script → the module it is of. */
  readonly input: Readonly<Record<string, string>>;
  /** Where the scripts go; whatever is there is deleted. */
  readonly directory: string;
  /** What is required instead of joined, besides Node's own modules and those with native parts. */
  readonly external?: RegExp;
}

/** What the scripts are, by file name, and what they require. */
export interface BuiltScripts {
  readonly files: readonly string[];
  readonly requires: readonly string[];
}

/**
 * Joins a module and all it needs into a few scripts for `KeptScripts` of component-base: only of scripts does Node 20 keep what it compiled.
 * What is only needed now and then stays in scripts of its own.
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
    // A script whose compilation was kept cannot import; what is not joined is required.
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    // Names stay as they are, for stack traces.
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
 * A text of nothing but ASCII is read as bytes, at half the memory and time; and as a function of what Node gives to a module it is
 * compiled as it was read.
 */
async function makeFunction(path: string): Promise<void> {
  const text = (await readFile(path, 'utf8')).replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  await writeFile(path, `(function (exports, require, module) {${text}\n})`);
}
