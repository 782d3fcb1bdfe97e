import { relative } from 'node:path';
import { importsOf } from './imports-of.ts';
import { isTest, type PackageSources, resolveImport } from './package-sources.ts';

/** Why a folder needs another: the first import that was found. */
type Edges = Map<string, Map<string, string>>;

/**
 * Folders of a package that import each other in a circle, as sentences. The unit is a folder with all that is below it, and
 * it is compared with the folders beside it: those below `src`, those below `src/codec`, and so on. Files that lie beside
 * such folders (an `index.ts`, say) belong to their parent and count only there. Type-only imports count: they bind the
 * reader as much as others. Tests do not count.
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

/** Between the folders where the paths part, if both files are in one. */
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

/** The shortest cycle through each folder, if there is one; the same cycle once. */
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

/** Breadth first. */
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
