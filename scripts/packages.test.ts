import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, Package } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { describe, expect, it } from 'vitest';

/* What people install, judged by the tools that people judge packages with. */
const packages = join(import.meta.dirname, '..', 'packages');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
}

/** The package as it would be published: path inside it → content. */
function published(name: string): { manifest: Manifest; files: Map<string, Buffer> } {
  const root = join(packages, name);
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const files = new Map([['package.json', readFileSync(join(root, 'package.json'))]]);
  const isLeftOut = (path: string): boolean => /\.test(-data)?\.ts$/.test(path);
  for (const folder of manifest.files.filter((pattern) => !pattern.startsWith('!'))) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || isLeftOut(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      files.set(path.slice(root.length + 1), readFileSync(path));
    }
  }
  return { manifest, files };
}

describe.each(['apimachinery', 'api', 'storage', 'apiserver', 'client'])('%s as published', (name) => {
  it('has nothing that publint finds wrong', async () => {
    const { files } = published(name);
    const { messages, pkg } = await publint({
      pkgDir: '/package',
      level: 'warning',
      pack: { files: [...files].map(([path, data]) => ({ name: `/package/${path}`, data })) },
    });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it('leaves its tests at home', () => {
    expect(published(name).manifest.files).toEqual(expect.arrayContaining(['!**/*.test.ts', '!**/*.test-data.ts']));
  });

  it('has types that every way of resolving modules finds', async () => {
    const { manifest, files } = published(name);
    const inModules = Object.fromEntries(
      [...files].map(([path, data]) => [`/node_modules/${manifest.name}/${path}`, new Uint8Array(data)]),
    );
    const result = await checkPackage(new Package(inModules, manifest.name, manifest.version));
    if (!result.types) throw new Error('there are no types');
    // Only modules (no require) and `exports` (no guessing of paths): Node 20 and every bundler know both.
    const problems = result.problems.filter(
      (problem) => !('resolutionKind' in problem) || ['node16-esm', 'bundler'].includes(problem.resolutionKind),
    );
    expect(problems).toEqual([]);
  });
});
