import { describe, expect, it } from 'vitest';
import { checkLayers, type LayerRow } from './check-layers.ts';
import type { PackageSources } from './layers/package-sources.ts';

const layers = {
  low: { imports: [], runtime: 'browser' },
  high: { imports: ['low'], runtime: 'node' },
} as const;

const source = (name: string, text: string, file = 'a.ts'): PackageSources => ({
  name,
  root: `/p/${name}`,
  dependencies: ['@coxswain/low', 'yaml'],
  files: [{ path: `/p/${name}/src/${file}`, text }],
});
const both = (low: string, high = '') => checkLayers(layers, [source('low', low), source('high', high)]);

describe('layers', () => {
  it('allows the imports in a package’s row', () => {
    expect(
      both(
        "import { x } from './b.ts';\nimport y from 'yaml';",
        "import { a } from '@coxswain/low';\nimport 'node:fs';",
      ),
    ).toEqual([]);
  });
  it.each([
    ['an import upwards', "import { a } from '@coxswain/high';", /may not import @coxswain\/high/],
    ['a type-only import upwards', "import type { a } from '@coxswain/high/deep';", /may not import/],
    ['a re-export upwards', "export * from '@coxswain/high';", /may not import/],
    ['a dynamic import upwards', "await import('@coxswain/high');", /may not import/],
    ['an import over several lines', "import {\n  a,\n} from '@coxswain/high';", /may not import/],
    ['a path into another package', "import { a } from '../../high/src/a.ts';", /outside its package/],
    ['an undeclared dependency', "import z from 'left-pad';", /not in its package.json/],
    [
      'a Node module in a package for browsers',
      "import { readFileSync } from 'node:fs';",
      /does not exist in browsers/,
    ],
    ['a Node global in a package for browsers', 'const b = Buffer.from("x");', /Buffer does not exist in browsers/],
  ])('refuses %s', (_, text, message) => {
    expect(both(text)).toEqual([expect.stringMatching(message)]);
  });
  it('allows tests to use Node', () => {
    expect(checkLayers(layers, [source('low', "import 'node:fs';", 'a.test.ts'), source('high', '')])).toEqual([]);
  });
  it('allows Node in a folder that is only loaded in Node', () => {
    const withFolder = { ...layers, low: { ...layers.low, nodeFolders: ['src/node'] } };
    const check = (file: string) =>
      checkLayers(withFolder, [source('low', "import 'node:fs';", file), source('high', '')]);
    expect(check('node/a.ts')).toEqual([]);
    expect(check('nodes/a.ts')).toEqual([expect.stringMatching(/does not exist in browsers/)]);
  });
  describe('files of a package for browsers', () => {
    const withFolder: Record<string, LayerRow> = {
      low: { ...layers.low, nodeFolders: ['src/node'] },
      high: { ...layers.high, imports: ['low'] },
    };
    const low = (text: string, file = 'a.ts'): PackageSources => ({
      ...source('low', text, file),
      dependencies: ['@coxswain/low', '@coxswain/high'],
      exports: { './*': { 'coxswain-source': './src/*/index.ts', default: './dist/*.js' } },
      imports: {
        '#platform': { browser: './src/platform.ts', default: './src/node/platform.ts' },
        '#sockets': './src/node/sockets.ts',
      },
    });
    const check = (text: string, file?: string, rows = withFolder) =>
      checkLayers(rows, [low(text, file), { ...source('high', ''), exports: { '.': './src/index.ts' } }]);
    it.each([
      ['a relative path', "import { dial } from './node/dial.ts';"],
      ['a re-export', "export { dial } from './node/dial.ts';"],
      ['a dynamic import', "const { dial } = await import('./node/dial.ts');"],
      ['an import for its effect', "import './node/dial.ts';"],
      ['types in braces, because the module is still loaded', "import { type Dial } from './node/dial.ts';"],
      ['a `#` name that resolves to it in browsers too', "import { dial } from '#sockets';"],
      ['the name of its own package', "import { dial } from '@coxswain/low/node';"],
    ])('may not import Node-only modules by %s', (_, text) => {
      expect(check(text)).toEqual([
        expect.stringMatching(/a\.ts: .+ only runs in Node, and src\/a\.ts is for browsers/),
      ]);
    });
    it('may not import a package that only runs in Node', () => {
      const rows: Record<string, LayerRow> = { ...layers, low: { ...layers.low, imports: ['high'] } };
      expect(check("import { a } from '@coxswain/high';", 'a.ts', rows)).toEqual([
        expect.stringMatching(/@coxswain\/high only runs in Node/),
      ]);
    });
    it.each([
      ['its types, which are erased', "import type { Dial } from './node/dial.ts';"],
      ['its types, re-exported', "export type { Dial } from './node/dial.ts';"],
      ['a `#` name that resolves to another module in browsers', "import { dial } from '#platform';"],
      ['a folder of a similar name', "import { dial } from './nodes/dial.ts';"],
    ])('may import %s', (_, text) => {
      expect(check(text)).toEqual([]);
    });
    it('may import anything when they only run in Node themselves, or in tests', () => {
      expect(check("import { dial } from './dial.ts';", 'node/a.ts')).toEqual([]);
      expect(check("import { dial } from './node/dial.ts';", 'a.test.ts')).toEqual([]);
    });
  });
  it('allows testImports only in tests', () => {
    const withTests = { ...layers, low: { ...layers.low, testImports: ['high'] } };
    const check = (file: string) =>
      checkLayers(withTests, [source('low', "import { a } from '@coxswain/high';", file), source('high', '')]);
    expect(check('a.test.ts')).toEqual([]);
    expect(check('a.ts')).toEqual([expect.stringMatching(/may not import/)]);
  });
  it('refuses a package without a row, and a row without a package', () => {
    expect(checkLayers(layers, [source('low', ''), source('other', '')])).toEqual([
      'packages/other has no row in layers.json',
      'layers.json has a row for high, which is not a package',
    ]);
  });
});
