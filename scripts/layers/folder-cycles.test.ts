import { describe, expect, it } from 'vitest';
import { folderCycles } from './folder-cycles.ts';
import type { PackageSources } from './package-sources.ts';

/** Returns a package with these files, by path below `src`, each with its imports. */
function packageOf(files: Readonly<Record<string, readonly string[]>>): PackageSources {
  return {
    name: 'low',
    root: '/p/low',
    dependencies: [],
    exports: { './*': { 'coxswain-source': './src/*/index.ts' } },
    imports: { '#platform': { browser: './src/browser/platform.ts', default: './src/node/platform.ts' } },
    files: Object.entries(files).map(([path, imports]) => ({
      path: `/p/low/src/${path}`,
      text: imports
        .map((each) =>
          each.startsWith('type ') ? `import type { x } from '${each.slice(5)}';` : `import { x } from '${each}';`,
        )
        .join('\n'),
    })),
  };
}

const cyclesOf = (files: Readonly<Record<string, readonly string[]>>): string[] => {
  const source = packageOf(files);
  return folderCycles(source, [source]);
};

describe('cycles of folders', () => {
  it('are found, with an import for each step', () => {
    expect(
      cyclesOf({ 'a/one.ts': ['../b/two.ts'], 'b/two.ts': [], 'b/three.ts': ['../a/four.ts'], 'a/four.ts': [] }),
    ).toEqual([
      'packages/low/src: the folders a → b → a import each other (a/one.ts imports b/two.ts; b/three.ts imports a/four.ts)',
    ]);
  });
  it.each<[string, Record<string, readonly string[]>, string]>([
    ['by types alone', { 'a/x.ts': ['type ../b/x.ts'], 'b/x.ts': ['type ../a/x.ts'] }, 'src: the folders a → b → a '],
    [
      'over three folders',
      { 'a/x.ts': ['../b/x.ts'], 'b/x.ts': ['../c/x.ts'], 'c/x.ts': ['../a/x.ts'] },
      'src: the folders a → b → c → a ',
    ],
    ['from a sub-folder', { 'a/deep/x.ts': ['../../b/x.ts'], 'b/x.ts': ['../a/y.ts'] }, 'src: the folders a → b → a '],
    ['between sub-folders', { 'a/b/x.ts': ['../c/x.ts'], 'a/c/x.ts': ['../b/x.ts'] }, 'src/a: the folders b → c → b '],
    [
      'by a name of the package',
      { 'a/x.ts': ['@coxswain/low/b'], 'b/index.ts': ['../a/x.ts'] },
      'src: the folders a → b → a ',
    ],
    ['in Node', { 'a/x.ts': ['#platform'], 'node/platform.ts': ['../a/x.ts'] }, 'src: the folders a → node → a '],
    [
      'in browsers',
      { 'a/x.ts': ['#platform'], 'browser/platform.ts': ['../a/x.ts'] },
      'src: the folders a → browser → a ',
    ],
  ])('are found %s', (_, files, start) => {
    expect(cyclesOf(files)).toEqual([expect.stringContaining(`packages/low/${start}`)]);
  });
  it('are reported once each, however many folders import into them', () => {
    const cycle = { 'a/x.ts': ['../b/x.ts'], 'b/x.ts': ['../a/x.ts'] };
    expect(cyclesOf({ ...cycle, 'c/x.ts': ['../a/x.ts'], 'd/x.ts': ['../b/x.ts'] })).toHaveLength(1);
  });
  it.each<[string, Record<string, readonly string[]>]>([
    ['a folder that imports another twice', { 'a/x.ts': ['../b/x.ts', '../b/y.ts'], 'b/x.ts': ['./y.ts'] }],
    ['a folder and the files beside it', { 'x.ts': ['./a/x.ts'], 'a/x.ts': ['../x.ts'] }],
    ['a sub-folder and its parent', { 'a/x.ts': ['./b/x.ts'], 'a/b/x.ts': ['../x.ts'] }],
    ['tests', { 'a/x.ts': ['../b/x.ts'], 'b/x.test.ts': ['../a/x.ts'], 'b/y.test-data.ts': ['../a/x.ts'] }],
  ])('are not made by %s', (_, files) => {
    expect(cyclesOf(files)).toEqual([]);
  });
});
