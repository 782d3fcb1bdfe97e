import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { breachesOf } from '../check-layers.ts';

const wellBehaved = {
  'layers.json': JSON.stringify({
    client: { imports: [], runtime: 'browser', nodeFolders: ['src/transport/node'] },
    server: { imports: ['client'], runtime: 'node' },
  }),
  'packages/client/package.json': JSON.stringify({ exports: { './*': { 'coxswain-source': './src/*/index.ts' } } }),
  'packages/client/src/transport/index.ts': "export { send } from './send.ts';",
  'packages/client/src/transport/send.ts': "import type { Socket } from './node/socket.ts';",
  'packages/client/src/transport/node/socket.ts': "import { connect } from 'node:net';",
  'packages/server/package.json': JSON.stringify({ dependencies: { '@coxswain/client': '0.0.0' } }),
  'packages/server/src/options/options.ts': '',
  'packages/server/src/server/server.ts':
    "import { send } from '@coxswain/client/transport';\nimport type { Options } from '../options/options.ts';",
};

describe('a workspace on disk', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'layers-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function breachesWith(planted: Readonly<Record<string, string>>): string[] {
    for (const [path, text] of Object.entries({ ...wellBehaved, ...planted })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return breachesOf(root);
  }

  it('has no violations by default', () => {
    expect(breachesWith({})).toEqual([]);
  });
  it('has a violation when code for browsers imports a Node-only module by a relative path', () => {
    const text = "import { Socket } from './node/socket.ts';";
    expect(breachesWith({ 'packages/client/src/transport/send.ts': text })).toEqual([
      'packages/client/src/transport/send.ts: ./node/socket.ts only runs in Node, and src/transport/send.ts is for browsers too',
    ]);
  });
  it('has a violation when folders import each other', () => {
    const text = "import type { Server } from '../server/server.ts';";
    expect(breachesWith({ 'packages/server/src/options/options.ts': text })).toEqual([
      expect.stringMatching(/^packages\/server\/src: the folders options → server → options import each other/),
    ]);
  });
  it('has a violation when a package has no row', () => {
    const planted = { 'packages/new/package.json': '{}', 'packages/new/src/index.ts': '' };
    expect(breachesWith(planted)).toEqual(['packages/new has no row in layers.json']);
  });
  it('makes the program of `npm run layers` fail with the violation', () => {
    breachesWith({ 'packages/client/src/transport/send.ts': "import './node/socket.ts';" });
    const program = join(import.meta.dirname, '..', 'check-layers.ts');
    const tsx = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'tsx');
    const { status, stdout, stderr } = spawnSync(tsx, [program, root], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '1 violation\n' });
    expect(stderr).toMatch(/^packages\/client\/src\/transport\/send\.ts: \.\/node\/socket\.ts only runs in Node/);
  });
});
