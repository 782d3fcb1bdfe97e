/**
 * Joins what `cox` is made of into a few files, after the build: a thousand small modules take Node longer to load than
 * the API server takes to start. What only some commands need stays in files of its own, and so do packages with native
 * parts.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { warmUp } from './warm-up.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const directory = at('../dist/bundle');

await rm(directory, { recursive: true, force: true });
const bundle = await rolldown({
  input: { cox: at('../dist/index.js') },
  platform: 'node',
  external: ['lmdb', '@grpc/grpc-js', /^node:/],
});
const { output } = await bundle.write({
  dir: directory,
  // Scripts, as only of these does Node 20 keep what it compiled.
  format: 'cjs',
  // Nor does it know how to import from a script whose compilation it kept; what is not in the bundle is required.
  dynamicImportInCjs: false,
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  // Names stay as they are, for stack traces.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
});
await bundle.close();

// A text of nothing but ASCII is read as bytes, at half the memory and time; and as a function of what Node gives to a module
// it is compiled as it was read.
for (const file of await readdir(directory)) {
  const path = join(directory, file);
  const text = (await readFile(path, 'utf8')).replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  await writeFile(path, `(function (exports, require, module) {${text}\n})`);
}
console.log(`joined cox into ${output.length} files`);

await warmUp(at('../bin/cox.js'));
