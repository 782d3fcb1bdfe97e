export interface Import {
  /** The module specifier in the statement: a relative path, a package's name, `#name` … */
  readonly specifier: string;
  /** True for `import type` and `export type`, which are erased. */
  readonly isTypeOnly: boolean;
}

/** Returns the import and export statements with a module specifier, and dynamic imports. */
export function importsOf(text: string): Import[] {
  const statements =
    /^\s*(?:import|export)\s(type\s(?!from\b))?[^'"`;]*?from\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;
  return [...text.matchAll(statements)].map(([, type, from, bare, dynamic]) => ({
    specifier: (from ?? bare ?? dynamic)!,
    isTypeOnly: type !== undefined,
  }));
}
