/**
 * `npm run layers`: fails when a package imports what `layers.json` does not allow it, reaches into another package's
 * files, uses what it does not declare, or needs Node where it must run in a browser.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface LayerRow {
  /** Workspace packages it may import. */
  readonly imports: readonly string[];
  /** Those that its tests may import besides. */
  readonly testImports?: readonly string[];
  readonly runtime: 'browser' | 'node';
  /** Folders of a package for browsers that are only loaded in Node. */
  readonly nodeFolders?: readonly string[];
}

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface PackageSources {
  readonly name: string;
  /** Absolute. */
  readonly root: string;
  /** Names of the dependencies that its package.json declares. */
  readonly dependencies: readonly string[];
  readonly files: readonly SourceFile[];
}

const scope = '@coxswain/';
const nodeModules = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));
const nodeGlobals = /(?<![.\w'"`])(?:Buffer|process|__dirname|require)\b(?=[.(])/;

/** Module names in import and export statements and dynamic imports. */
export function importsOf(text: string): string[] {
  const statements =
    /^\s*(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;
  return [...text.matchAll(statements)].map(([, from, bare, dynamic]) => (from ?? bare ?? dynamic)!);
}

/** The breaches, as sentences; none when all is well. */
export function checkLayers(layers: Readonly<Record<string, LayerRow>>, packages: readonly PackageSources[]): string[] {
  const problems: string[] = [];
  for (const { name, root, dependencies, files } of packages) {
    const row = Object.hasOwn(layers, name) ? layers[name] : undefined;
    if (!row) {
      problems.push(`packages/${name} has no row in layers.json`);
      continue;
    }
    for (const { path, text } of files) {
      const isTest = /\.test(-data)?\.ts$/.test(path);
      const inPackage = relative(root, path);
      const isForBrowsers =
        row.runtime === 'browser' && !row.nodeFolders?.some((folder) => inPackage.startsWith(`${folder}/`));
      const complain = (what: string) => problems.push(`${path}: ${what}`);
      for (const imported of importsOf(text)) {
        if (imported.startsWith('.')) {
          if (relative(root, resolve(dirname(path), imported)).startsWith('..'))
            complain(`${imported} is outside its package`);
        } else if (imported.startsWith(scope)) {
          const target = imported.slice(scope.length).split('/', 1)[0]!;
          const isAllowed = row.imports.includes(target) || (isTest && row.testImports?.includes(target));
          if (target !== name && !isAllowed) complain(`${name} may not import ${imported} (layers.json)`);
          else if (!isTest && !dependencies.includes(scope + target))
            complain(`${scope}${target} is not in its package.json`);
        } else if (!isTest && !imported.startsWith('#')) {
          // `#name` is the package's own, by its `imports` map.
          if (nodeModules.has(imported)) {
            if (isForBrowsers) complain(`${imported} is not there in a browser`);
          } else if (
            !dependencies.includes(
              imported
                .split('/')
                .slice(0, imported.startsWith('@') ? 2 : 1)
                .join('/'),
            )
          ) {
            complain(`${imported} is not in its package.json`);
          }
        }
      }
      const global = !isTest && isForBrowsers && nodeGlobals.exec(text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''));
      if (global) complain(`${global[0]} is not there in a browser`);
    }
  }
  for (const name of Object.keys(layers)) {
    if (!name.startsWith('$') && !packages.some((known) => known.name === name))
      problems.push(`layers.json has a row for ${name}, which is no package`);
  }
  return problems;
}

function readPackage(root: string, name: string): PackageSources {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  const sources = join(root, 'src');
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ path: join(sources, file), text: readFileSync(join(sources, file), 'utf8') }));
  return { name, root, dependencies: Object.keys(manifest.dependencies ?? {}), files };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  const layers = JSON.parse(readFileSync(join(root, 'layers.json'), 'utf8')) as Record<string, LayerRow>;
  const names = readdirSync(join(root, 'packages'));
  const problems = checkLayers(
    layers,
    names.map((name) => readPackage(join(root, 'packages', name), name)),
  );
  for (const problem of problems) console.error(problem.replace(`${root}/`, ''));
  console.log(
    problems.length === 0
      ? `${names.length} packages keep to their layers`
      : `${problems.length} breaches of layers.json`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
