/**
 * `npm run layers`: fails when a package imports what `layers.json` does not allow it, reaches into another package's
 * files, uses what it does not declare, or needs Node where it must run in a browser; and when folders of a package import
 * each other in a circle.
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
  /** Those that its tests may import besides. */
  readonly testImports?: readonly string[];
  readonly runtime: 'browser' | 'node';
  /** Folders of a package for browsers that are only loaded in Node. */
  readonly nodeFolders?: readonly string[];
}

type Layers = Readonly<Record<string, LayerRow>>;

const nodeModules = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));
const nodeGlobals = /(?<![.\w'"`])(?:Buffer|process|__dirname|require)\b(?=[.(])/;

/** The breaches, as sentences; none when all is well. */
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
      problems.push(`layers.json has a row for ${name}, which is no package`);
  }
  return problems;
}

/** What is wrong with the imports of one file, and with the globals it uses. */
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
  if (global) yield `${global[0]} is not there in a browser`;
}

/** Why a package may not import this at all. */
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
  // A name with `#` is the package's own, by its `imports` map.
  const isDeclared = specifier.startsWith('#') || nodeModules.has(specifier) || dependencies.includes(dependency);
  return isDeclared || isTest(path) ? undefined : `${dependency} is not in its package.json`;
}

/**
 * Why a browser cannot load this: a module of Node, or a file that only runs there, by whatever name it is imported. Each file
 * that a browser loads is looked at itself, so nothing of Node is reached over several files either.
 */
function browserProblem(
  { specifier, isTypeOnly }: Import,
  path: string,
  source: PackageSources,
  layers: Layers,
  packages: readonly PackageSources[],
): string | undefined {
  if (nodeModules.has(specifier)) return `${specifier} is not there in a browser`;
  if (isTypeOnly) return undefined;
  const imported = resolveImport(specifier, path, source, packages, ['browser', 'coxswain-source']);
  const row = imported && layers[imported.packageName];
  if (!row || runsInBrowsers(row, imported.path)) return undefined;
  return `${specifier} only runs in Node, and ${relative(source.root, path)} is for browsers too`;
}

const runsInBrowsers = ({ runtime, nodeFolders }: LayerRow, path: string): boolean =>
  runtime === 'browser' && !nodeFolders?.some((folder) => path.startsWith(`${folder}/`));

/** The breaches of a workspace on disk. */
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
  const count = `${problems.length} ${problems.length === 1 ? 'breach' : 'breaches'}`;
  console.log(problems.length === 0 ? 'every package keeps to its layers' : count);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
