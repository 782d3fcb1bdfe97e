/**
 * Joins what `cox` is made of into a few files, after the build: a thousand small modules take Node longer to load than
 * the API server takes to start. What only some commands need stays in files of its own, and so do packages with native
 * parts.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

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
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  // Names stay as they are, for stack traces.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
});
await bundle.close();

// A text of nothing but ASCII is read as bytes, at half the memory and time.
for (const file of await readdir(directory)) {
  const path = join(directory, file);
  const text = await readFile(path, 'utf8');
  await writeFile(
    path,
    text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
console.log(`joined cox into ${output.length} files`);

// The first start compiles all that a start needs, and keeps it.
const scratch = await mkdtemp(join(tmpdir(), 'cox-build-'));
const server = spawn(process.execPath, [
  at('../bin/cox.js'),
  'apiserver',
  `--data-dir=${scratch}`,
  '--secure-port=0',
  '--bind-address=127.0.0.1',
]);
const ended = new Promise<number | null>((resolve) => server.on('exit', resolve));
let said = '';
server.stderr.on('data', (text) => {
  said += text;
});
server.stdout.on('data', (text) => {
  if (String(text).includes('is ready')) server.kill();
});
const status = await ended;
await rm(scratch, { recursive: true, force: true });
if (status !== 0) throw new Error(`the joined API server does not start:\n${said}`);
