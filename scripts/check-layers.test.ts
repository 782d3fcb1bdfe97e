import { describe, expect, it } from 'vitest';
import { checkLayers, type PackageSources } from './check-layers.ts';

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
  it('lets a package import what its row allows', () => {
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
    ['a Node module where a browser must do', "import { readFileSync } from 'node:fs';", /not there in a browser/],
    ['a Node global where a browser must do', 'const b = Buffer.from("x");', /Buffer is not there in a browser/],
  ])('refuses %s', (_, text, message) => {
    expect(both(text)).toEqual([expect.stringMatching(message)]);
  });
  it('lets tests use Node', () => {
    expect(checkLayers(layers, [source('low', "import 'node:fs';", 'a.test.ts'), source('high', '')])).toEqual([]);
  });
  it('lets a folder that is only loaded in Node use it', () => {
    const withFolder = { ...layers, low: { ...layers.low, nodeFolders: ['src/node'] } };
    const check = (file: string) =>
      checkLayers(withFolder, [source('low', "import 'node:fs';", file), source('high', '')]);
    expect(check('node/a.ts')).toEqual([]);
    expect(check('nodes/a.ts')).toEqual([expect.stringMatching(/not there in a browser/)]);
  });
  it('lets only tests import what is for tests', () => {
    const withTests = { ...layers, low: { ...layers.low, testImports: ['high'] } };
    const check = (file: string) =>
      checkLayers(withTests, [source('low', "import { a } from '@coxswain/high';", file), source('high', '')]);
    expect(check('a.test.ts')).toEqual([]);
    expect(check('a.ts')).toEqual([expect.stringMatching(/may not import/)]);
  });
  it('refuses a package without a row, and a row without a package', () => {
    expect(checkLayers(layers, [source('low', ''), source('other', '')])).toEqual([
      'packages/other has no row in layers.json',
      'layers.json has a row for high, which is no package',
    ]);
  });
});
