/**
 * Part of `npm run generate`: writes the ClientSet's types and tables, `src/kubernetes/generated`, from the catalogue
 * of kinds in `@coxswain/api`. Deterministic; a test compares the existing files with the output.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from './emit.ts';

const out = fileURLToPath(new URL('../src/kubernetes/generated', import.meta.url));
const files = generatedFiles();
rmSync(out, { recursive: true, force: true });
for (const [name, text] of files) {
  mkdirSync(dirname(join(out, name)), { recursive: true });
  writeFileSync(join(out, name), text);
}
console.log(`${files.size} files in ${relative(process.cwd(), out)}`);
