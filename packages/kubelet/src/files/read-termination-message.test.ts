import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readTerminationMessage } from './read-termination-message.ts';

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'coxswain-termination-'));
  path = join(directory, 'log');
});
afterEach(() => rmSync(directory, { recursive: true }));

it('returns what a container has written', async () => {
  writeFileSync(path, 'bye\n');
  expect(await readTerminationMessage(path)).toBe('bye\n');
  writeFileSync(path, '');
  expect(await readTerminationMessage(path)).toBe('');
});

it('returns the end of a file that is too long, however long it is', async () => {
  writeFileSync(path, `${'a'.repeat(10)}${'b'.repeat(4096)}`);
  expect(await readTerminationMessage(path)).toBe('b'.repeat(4096));
  truncateSync(path, 2 ** 40);
  expect(await readTerminationMessage(path)).toBe('\0'.repeat(4096));
});

it('returns undefined if there is no file', async () => {
  expect(await readTerminationMessage(path)).toBeUndefined();
});

it('says why a file cannot be read, and neither follows symlinks nor waits', async () => {
  symlinkSync('/etc/passwd', path);
  expect(await readTerminationMessage(path)).toMatch(`Error on reading termination log ${path}: ELOOP`);
  rmSync(path);
  execFileSync('mkfifo', [path]);
  expect(await readTerminationMessage(path)).toMatch('is not a regular file');
});
