import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { KeptScripts, type KeptScriptsOptions } from './index.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kept-scripts-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const write = (file: string, text: string): void =>
  writeFileSync(join(directory, file), `(function (exports, require, module) {${text}})`);

const run = (options?: KeptScriptsOptions): unknown => new KeptScripts(directory, options).load('main.cjs');

it('runs each script once, and lets it require shared modules and those of Node', () => {
  write(
    'main.cjs',
    `exports.parts = [require('./part.cjs'), require('./part.cjs'), require('shared'), require('node:fs')];`,
  );
  write('part.cjs', 'exports.random = Math.random();');
  const shared = {};
  const { parts } = run({ modules: { shared } }) as { parts: { random?: number }[] };
  expect(parts[0]).toBe(parts[1]);
  expect(parts[2]).toBe(shared);
  expect(Object.keys(parts[3]!)).toContain('readFileSync');
  expect(() => run()).toThrow("Cannot find module 'shared'");
});

it('puts the file and line of a failing script into the stack', () => {
  write('main.cjs', `throw new Error('no');`);
  expect(() => run()).toThrow(
    expect.objectContaining({ stack: expect.stringContaining(join(directory, 'main.cjs:1:')) }),
  );
});

it('works when the code cache cannot be written', () => {
  write('main.cjs', 'exports.value = 1;');
  const scripts = new KeptScripts(directory);
  expect(scripts.load('main.cjs')).toEqual({ value: 1 });
  rmSync(directory, { recursive: true });
  scripts.keepCompiled();
  expect(() => readdirSync(directory)).toThrow('ENOENT');
});
