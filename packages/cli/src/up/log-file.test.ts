import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { logFile } from './log-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-file-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('appends to a file with mode 0600, and keeps at most twice the limit', () => {
  const path = join(folder, 'log');
  const { out, err } = logFile(path, 10);
  out('one\n');
  err('two\n');
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  out('three\n');
  out('longer than ten\n');
  expect(readdirSync(folder)).toEqual(['log', 'log.1']);
  expect(readFileSync(path, 'utf8')).toBe('longer than ten\n');
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('three\n');
});
