/**
 * Bundles the compiled modules of each library into a few files, after the build: Node needs time to find each file, and a library of small
 * modules has many. The bundles follow from the package's `exports` and `imports`: each target in `dist/bundle` is built from the module of
 * the same path in `dist`. Modules that several bundles need are in shared files, so that each exists once.
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

/** Groups of modules that share a file. The first matching group is used. */
const groups = [
  // Modules that every client needs, then those of its informers.
  { name: 'core', test: /[\\/]dist[\\/]((errors|meta|pager|rest|watch)[\\/]|transport[\\/][^\\/]+$)/, priority: 2 },
  { name: 'selectors', test: /[\\/]dist[\\/]labels[\\/]/, priority: 1 },
  { name: 'common', minShareCount: 6 },
];

/** Returns all targets in a map of exports or imports, under any conditions. */
function targets(map: unknown): string[] {
  if (typeof map === 'string') return [map];
  return typeof map === 'object' && map !== null ? Object.values(map).flatMap(targets) : [];
}

/** Returns the name of each bundle with its entry module. */
function entries(root: string, { exports, imports }: Manifest): Record<string, string> {
  const dist = join(root, 'dist');
  const found: Record<string, string> = {};
  for (const target of [...targets(exports), ...targets(imports)].filter((it) => it.startsWith(prefix))) {
    const name = target.slice(prefix.length).replace(/\.js$/, '');
    if (name === '*') {
      // A folder, and its part for Node. The `bundle` folder is an earlier output.
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
  // Other packages are external, and so are imports that depend on the platform. `yaml` is bundled, because finding its eighty files takes
  // longer than reading them.
  const bundle = await rolldown({ input, external: /^(?!yaml$|[./]|[A-Za-z]:\\)/ });
  const { output } = await bundle.write({
    dir: directory,
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name]-[hash].js',
    // Finding ten small files takes longer than reading a large one.
    codeSplitting: { groups },
    sourcemap: true,
  });
  await bundle.close();
  await writeLicenses(output, directory);
  console.log(`bundled @coxswain/${name} into ${output.filter(({ type }) => type === 'chunk').length} files`);
}
