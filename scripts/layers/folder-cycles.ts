import { relative } from 'node:path';
import { importsOf } from './imports-of.ts';
import { isTest, type PackageSources, resolveImport } from './package-sources.ts';

/** For each folder, the folders it imports, with the first import found. */
type Edges = Map<string, Map<string, string>>;

/**
 * Returns the cycles of a package's folders as messages. A folder counts with everything below it, and is compared with its sibling
 * folders: those below `src`, those below `src/codec`, and so on. Files beside such folders (an `index.ts`, for example) belong to the
 * parent folder. Type-only imports count, because a reader has to follow them too. Tests do not count.
 */
export function folderCycles(source: PackageSources, packages: readonly PackageSources[]): string[] {
  const levels = new Map<string, Edges>();
  for (const { path, text } of source.files) {
    if (isTest(path)) continue;
    const importer = relative(source.root, path);
    for (const { specifier } of importsOf(text)) {
      for (const conditions of [['coxswain-source'], ['coxswain-source', 'browser']]) {
        const imported = resolveImport(specifier, path, source, packages, conditions);
        if (imported?.packageName === source.name) addEdge(levels, importer, imported.path);
      }
    }
  }
  return [...levels].flatMap(([parent, edges]) =>
    smallestCycles(edges).map((cycle) => {
      const reasons = cycle.map((folder, index) => edges.get(folder)!.get(cycle[(index + 1) % cycle.length]!)!);
      return `packages/${source.name}/${parent}: the folders ${[...cycle, cycle[0]].join(' → ')} import each other (${reasons.join('; ')})`;
    }),
  );
}

/** Adds an edge between the sibling folders of the two files, unless one file is directly in their common folder. */
function addEdge(levels: Map<string, Edges>, importer: string, imported: string): void {
  const from = importer.split('/');
  const to = imported.split('/');
  let depth = 0;
  while (from[depth] === to[depth] && depth < from.length - 1) depth++;
  if (depth >= from.length - 1 || depth >= to.length - 1) return;
  const parent = from.slice(0, depth).join('/');
  const edges = levels.get(parent) ?? new Map<string, Map<string, string>>();
  const targets = edges.get(from[depth]!) ?? new Map<string, string>();
  if (!targets.has(to[depth]!))
    targets.set(to[depth]!, `${from.slice(depth).join('/')} imports ${to.slice(depth).join('/')}`);
  levels.set(parent, edges.set(from[depth]!, targets));
}

/** Returns the shortest cycle through each folder, if any. Equal cycles are returned once. */
function smallestCycles(edges: Edges): string[][] {
  const cycles = new Map<string, string[]>();
  for (const start of [...edges.keys()].sort()) {
    const cycle = shortestCycle(edges, start);
    if (cycle) {
      const key = [...cycle].sort().join('/');
      if (!cycles.has(key)) cycles.set(key, cycle);
    }
  }
  return [...cycles.values()];
}

/** Finds the shortest cycle through a folder by breadth-first search. */
function shortestCycle(edges: Edges, start: string): string[] | undefined {
  const seen = new Set<string>();
  let paths: string[][] = [[start]];
  while (paths.length > 0) {
    const longer: string[][] = [];
    for (const path of paths) {
      for (const next of edges.get(path.at(-1)!)?.keys() ?? []) {
        if (next === start) return path;
        if (seen.has(next)) continue;
        seen.add(next);
        longer.push([...path, next]);
      }
    }
    paths = longer;
  }
  return undefined;
}
