import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface PackageSources {
  readonly name: string;
  /** The absolute path of the package. */
  readonly root: string;
  /** The names of the dependencies in its package.json. */
  readonly dependencies: readonly string[];
  /** The maps `exports` and `imports` of its package.json. */
  readonly exports?: unknown;
  readonly imports?: unknown;
  readonly files: readonly SourceFile[];
}

/** The prefix of the workspace's package names. */
export const scope = '@coxswain/';

/** Returns whether a file is a test, or only imported by tests. */
export const isTest = (path: string): boolean => /\.test(-data)?\.ts$/.test(path);

export function readPackage(root: string, name: string): PackageSources {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
    exports?: unknown;
    imports?: unknown;
  };
  const sources = join(root, 'src');
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ path: join(sources, file), text: readFileSync(join(sources, file), 'utf8') }));
  const { dependencies = {}, exports, imports } = manifest;
  return { name, root, dependencies: Object.keys(dependencies), exports, imports, files };
}

/** A source file of the workspace. */
export interface Module {
  readonly packageName: string;
  /** The path in the package, such as `src/index.ts`. */
  readonly path: string;
}

/**
 * Returns the source file that an import resolves to: by a relative path, or by the maps of a package.json, where a name that begins with
 * `#` belongs to the importer's own package. Returns undefined for modules outside of the workspace.
 */
export function resolveImport(
  specifier: string,
  importer: string,
  from: PackageSources,
  packages: readonly PackageSources[],
  conditions: readonly string[],
): Module | undefined {
  if (specifier.startsWith('.'))
    return { packageName: from.name, path: relative(from.root, resolve(dirname(importer), specifier)) };
  const inMap = ({ name }: PackageSources, map: unknown, key: string): Module | undefined => {
    const path = target(map, key, conditions);
    return path === undefined ? undefined : { packageName: name, path: path.replace(/^\.\//, '') };
  };
  if (specifier.startsWith('#')) return inMap(from, from.imports, specifier);
  if (!specifier.startsWith(scope)) return undefined;
  const [name, ...rest] = specifier.slice(scope.length).split('/');
  const found = packages.find((known) => known.name === name);
  return found && inMap(found, found.exports, ['.', ...rest].join('/'));
}

/** Returns the target of a key in a map: that of its own entry, else that of the first matching pattern. */
function target(map: unknown, key: string, conditions: readonly string[]): string | undefined {
  if (!isMap(map)) return undefined;
  if (Object.hasOwn(map, key)) return branch(map[key], conditions);
  for (const [pattern, value] of Object.entries(map)) {
    const prefix = pattern.slice(0, -1);
    if (pattern.endsWith('*') && key.startsWith(prefix))
      return branch(value, conditions)?.replace('*', key.slice(prefix.length));
  }
  return undefined;
}

/** Returns the target of the first branch whose conditions hold, as Node and bundlers do. */
function branch(value: unknown, conditions: readonly string[]): string | undefined {
  if (typeof value === 'string') return value;
  if (!isMap(value)) return undefined;
  for (const [condition, inner] of Object.entries(value)) {
    const found = condition === 'default' || conditions.includes(condition) ? branch(inner, conditions) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
