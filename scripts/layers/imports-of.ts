export interface Import {
  /** As it stands in the statement: a relative path, a package's name, `#name` … */
  readonly specifier: string;
  /** `import type` and `export type`: nothing of the statement is left when it runs. */
  readonly isTypeOnly: boolean;
}

/** Import and export statements with a module's name, and dynamic imports. */
export function importsOf(text: string): Import[] {
  const statements =
    /^\s*(?:import|export)\s(type\s(?!from\b))?[^'"`;]*?from\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;
  return [...text.matchAll(statements)].map(([, type, from, bare, dynamic]) => ({
    specifier: (from ?? bare ?? dynamic)!,
    isTypeOnly: type !== undefined,
  }));
}
