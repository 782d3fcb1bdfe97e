import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** A module of the kernel, to be loaded after those before it. */
export interface KernelModule {
  readonly name: string;
  readonly path: string;
}

/** The modules of a kernel's directory (`/lib/modules/…`) that have these names, and those that they need, in the order to load them. */
export async function kernelModules(directory: string, names: readonly string[]): Promise<KernelModule[]> {
  return orderOfModules(await readFile(join(directory, 'modules.dep'), 'utf8'), names).map((path) => ({
    name: moduleName(path),
    path: join(directory, path),
  }));
}

/** The files to load, from the text of `modules.dep`. A name that is not there is built into the kernel. */
export function orderOfModules(dependencies: string, names: readonly string[]): string[] {
  const needs = new Map<string, readonly string[]>();
  for (const line of dependencies.split('\n')) {
    const [path = '', needed = ''] = line.split(':');
    if (path !== '') needs.set(path, needed.split(' ').filter(Boolean));
  }
  const order = new Set<string>();
  const add = (path: string): void => {
    for (const needed of needs.get(path) ?? []) add(needed);
    order.add(path);
  };
  for (const path of needs.keys()) if (names.includes(moduleName(path))) add(path);
  return [...order];
}

const moduleName = (path: string): string => basename(path).replace(/\.ko.*$/, '');
