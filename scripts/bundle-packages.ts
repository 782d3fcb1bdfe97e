/**
 * Joins what the compiler made of a library into a few files, after the build: people who import it pay for every file
 * that Node has to find, and a library of small modules has many. Which files there are follows from the package's
 * `exports` and `imports`: whatever points into `dist/bundle` is made of the module of the same path in `dist`. What several
 * of them need is in files of its own, so that there is one of everything.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { writeLicenses } from './third-party-licenses.ts';

const packages = join(import.meta.dirname, '..', 'packages');
const prefix = './dist/bundle/';

interface Manifest {
  readonly exports: unknown;
  readonly imports?: unknown;
}

/** What is in one file, with all that it needs. Of the first that a module fits. */
const groups = [
  // What every client needs, and then what its informers need.
  { name: 'core', test: /[\\/]dist[\\/]((errors|meta|pager|rest|watch)[\\/]|transport[\\/][^\\/]+$)/, priority: 2 },
  { name: 'selectors', test: /[\\/]dist[\\/]labels[\\/]/, priority: 1 },
  { name: 'common', minShareCount: 6 },
];

/** All targets in a map of exports or imports, whatever the conditions. */
function targets(map: unknown): string[] {
  if (typeof map === 'string') return [map];
  return typeof map === 'object' && map !== null ? Object.values(map).flatMap(targets) : [];
}

/** Name of a bundle → the module that it is of. */
function entries(root: string, { exports, imports }: Manifest): Record<string, string> {
  const dist = join(root, 'dist');
  const found: Record<string, string> = {};
  for (const target of [...targets(exports), ...targets(imports)].filter((it) => it.startsWith(prefix))) {
    const name = target.slice(prefix.length).replace(/\.js$/, '');
    if (name === '*') {
      // A folder, and what it has for Node alone; what was joined before is none.
      const folders = readdirSync(dist).filter((each) => each !== 'bundle');
      for (const folder of folders.flatMap((each) => [each, `${each}/node`])) {
        if (existsSync(join(dist, folder, 'index.js'))) found[folder] = join(dist, folder, 'index.js');
      }
    } else {
      const module = join(dist, `${name}.js`);
      found[name] = existsSync(module) ? module : join(dist, name, 'index.js');
    }
  }
  return found;
}

for (const name of readdirSync(packages)) {
  const root = join(packages, name);
  const input = entries(root, JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest);
  if (Object.keys(input).length === 0) continue;
  const directory = join(root, 'dist', 'bundle');
  await rm(directory, { recursive: true, force: true });
  // Other packages stay what they are, and so does what a package looks up by the platform it runs on. But to find the eighty files of
  // `yaml` takes longer than to read it.
  const bundle = await rolldown({ input, external: /^(?!yaml$|[./]|[A-Za-z]:\\)/ });
  const { output } = await bundle.write({
    dir: directory,
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name]-[hash].js',
    // To find ten small files takes longer than to read a large one.
    codeSplitting: { groups },
    sourcemap: true,
  });
  await bundle.close();
  await writeLicenses(output, directory);
  console.log(`joined @coxswain/${name} into ${output.filter(({ type }) => type === 'chunk').length} files`);
}
