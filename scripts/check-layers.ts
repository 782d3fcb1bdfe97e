/**
 * `npm run layers`: fails when a package imports what `layers.json` does not allow, imports another package's internal files, uses an
 * undeclared dependency, or needs Node although it must run in browsers; and when folders of a package import each other in a cycle.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderCycles } from './layers/folder-cycles.ts';
import { type Import, importsOf } from './layers/imports-of.ts';
import {
  isTest,
  type PackageSources,
  readPackage,
  resolveImport,
  type SourceFile,
  scope,
} from './layers/package-sources.ts';

export interface LayerRow {
  /** Workspace packages it may import. */
  readonly imports: readonly string[];
  /** Additional packages that its tests may import. */
  readonly testImports?: readonly string[];
  readonly runtime: 'browser' | 'node';
  /** Folders of a package for browsers that are only loaded in Node. */
  readonly nodeFolders?: readonly string[];
}

type Layers = Readonly<Record<string, LayerRow>>;

const nodeModules = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));
const nodeGlobals = /(?<![.\w'"`])(?:Buffer|process|__dirname|require)\b(?=[.(])/;

/** Returns the violations as messages. */
export function checkLayers(layers: Layers, packages: readonly PackageSources[]): string[] {
  const problems: string[] = [];
  for (const source of packages) {
    if (!Object.hasOwn(layers, source.name)) {
      problems.push(`packages/${source.name} has no row in layers.json`);
      continue;
    }
    for (const file of source.files) {
      for (const problem of fileProblems(file, source, layers, packages)) problems.push(`${file.path}: ${problem}`);
    }
    problems.push(...folderCycles(source, packages));
  }
  for (const name of Object.keys(layers)) {
    if (!name.startsWith('$') && !packages.some((known) => known.name === name))
      problems.push(`layers.json has a row for ${name}, which is not a package`);
  }
  return problems;
}

/** Yields the problems of a file's imports and of the globals it uses. */
function* fileProblems(
  { path, text }: SourceFile,
  source: PackageSources,
  layers: Layers,
  packages: readonly PackageSources[],
): Iterable<string> {
  const row = layers[source.name]!;
  const isForBrowsers = !isTest(path) && runsInBrowsers(row, relative(source.root, path));
  for (const statement of importsOf(text)) {
    const problem =
      directionProblem(statement, path, source, row) ??
      (isForBrowsers ? browserProblem(statement, path, source, layers, packages) : undefined);
    if (problem !== undefined) yield problem;
  }
  const global = isForBrowsers && nodeGlobals.exec(text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''));
  if (global) yield `${global[0]} does not exist in browsers`;
}

/** Returns why a package may not import this at all. */
function directionProblem(
  { specifier }: Import,
  path: string,
  { name, root, dependencies }: PackageSources,
  row: LayerRow,
): string | undefined {
  if (specifier.startsWith('.'))
    return relative(root, join(dirname(path), specifier)).startsWith('..')
      ? `${specifier} is outside its package`
      : undefined;
  const dependency = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  if (dependency.startsWith(scope)) {
    const target = dependency.slice(scope.length);
    const isAllowed = row.imports.includes(target) || (isTest(path) && row.testImports?.includes(target));
    if (target !== name && !isAllowed) return `${name} may not import ${specifier} (layers.json)`;
  }
  // A name with `#` is the package's own, defined in its `imports` map.
  const isDeclared = specifier.startsWith('#') || nodeModules.has(specifier) || dependencies.includes(dependency);
  return isDeclared || isTest(path) ? undefined : `${dependency} is not in its package.json`;
}

/**
 * Returns why a browser cannot load this: it is a Node module, or a file that only runs in Node, under any name. Every file that a browser
 * loads is checked, so indirect imports are covered too.
 */
function browserProblem(
  { specifier, isTypeOnly }: Import,
  path: string,
  source: PackageSources,
  layers: Layers,
  packages: readonly PackageSources[],
): string | undefined {
  if (nodeModules.has(specifier)) return `${specifier} does not exist in browsers`;
  if (isTypeOnly) return undefined;
  const imported = resolveImport(specifier, path, source, packages, ['browser', 'coxswain-source']);
  const row = imported && layers[imported.packageName];
  if (!row || runsInBrowsers(row, imported.path)) return undefined;
  return `${specifier} only runs in Node, and ${relative(source.root, path)} is for browsers too`;
}

const runsInBrowsers = ({ runtime, nodeFolders }: LayerRow, path: string): boolean =>
  runtime === 'browser' && !nodeFolders?.some((folder) => path.startsWith(`${folder}/`));

/** Returns the violations of a workspace on disk. */
export function breachesOf(root: string): string[] {
  const layers = JSON.parse(readFileSync(join(root, 'layers.json'), 'utf8')) as Layers;
  const names = readdirSync(join(root, 'packages'));
  return checkLayers(
    layers,
    names.map((name) => readPackage(join(root, 'packages', name), name)),
  ).map((problem) => problem.replaceAll(`${root}/`, ''));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = breachesOf(process.argv[2] ?? join(import.meta.dirname, '..'));
  for (const problem of problems) console.error(problem);
  const count = `${problems.length} ${problems.length === 1 ? 'violation' : 'violations'}`;
  console.log(problems.length === 0 ? 'every package follows layers.json' : count);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
