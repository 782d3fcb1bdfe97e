import * as nodeFiles from 'node:fs/promises';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@coxswain/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeAtomically } from './atomic-writer.ts';
import type { Payload } from './payload.ts';

describe('a directory that is written atomically', () => {
  let directory: string;
  const clock = new FakeClock(Date.parse('2026-02-01T15:04:05Z'));
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'coxswain-writer-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const write = async (contents: Readonly<Record<string, string>>, mode = 0o644): Promise<boolean> => {
    const files: Payload = new Map(
      Object.entries(contents).map(([path, text]) => [path, { data: Buffer.from(text), mode }]),
    );
    return await writeAtomically(directory, files, { files: nodeFiles, clock });
  };
  const read = (path: string): Promise<string> => readFile(join(directory, path), 'utf8');

  it('has links to files in a directory that changes as a whole', async () => {
    await write({ a: '1', 'b/c/d': '2' }, 0o604);
    expect(await read('a')).toBe('1');
    expect(await read('b/c/d')).toBe('2');
    expect(await readlink(join(directory, 'b'))).toBe('..data/b');
    expect(await readlink(join(directory, '..data'))).toMatch(/^\.\.2026_02_01_15_04_05\.\w{6}$/);
    expect((await stat(join(directory, 'b/c/d'))).mode & 0o777).toBe(0o604);
    expect((await stat(join(directory, '..data/'))).mode & 0o777).toBe(0o755);
  });

  it('is left alone if nothing has changed, and has no more than it should otherwise', async () => {
    expect(await write({ a: '1', b: '1' })).toBe(true);
    const before = await readlink(join(directory, '..data'));
    expect(await write({ a: '1', b: '1' })).toBe(false);
    expect(await readlink(join(directory, '..data'))).toBe(before);
    expect(await write({ a: '1' })).toBe(true);
    const after = await readlink(join(directory, '..data'));
    expect((await readdir(directory)).sort()).toEqual(['..data', after, 'a'].sort());
    expect(after).not.toBe(before);
  });

  it('keeps directories that are places of nested mounts', async () => {
    await mkdir(join(directory, 'nested'));
    await write({ a: '1' });
    await write({ b: '1' });
    expect((await readdir(directory)).filter((name) => !name.startsWith('..')).sort()).toEqual(['b', 'nested']);
  });

  it('makes a link that is missing', async () => {
    await write({ a: '1' });
    await rm(join(directory, 'a'));
    await write({ a: '1' });
    expect(await read('a')).toBe('1');
  });

  it('never follows a link that is in the way', async () => {
    const outside = join(directory, '..outside');
    await mkdir(outside);
    await writeFile(join(outside, 'precious'), '');
    await symlink(outside, join(directory, 'stale'));
    await write({ a: '1' });
    expect((await readdir(directory)).includes('stale')).toBe(false);
  });

  it.each([
    ['../a', "invalid path: must not contain '..': ../a"],
    ['a/../../b', "invalid path: must not contain '..': a/../../b"],
    ['..a', "invalid path: must not start with '..': ..a"],
    ['./..data', "invalid path: must not start with '..': ./..data"],
    ['/a', 'invalid path: must be relative path: /a'],
    ['', 'invalid path: must not be empty: ""'],
    ['.', 'invalid path: must not be empty: "."'],
    ['a\0b', 'invalid path: must not contain a null character'],
    ['x'.repeat(256), 'invalid path: filenames must be less than or equal to 255 characters'],
    ['x/'.repeat(2049), 'invalid path: must be less than or equal to 4096 characters'],
  ])('refuses %j, and stays as it is', async (path, message) => {
    await write({ a: '1' });
    await expect(write({ b: '1', [path]: '' })).rejects.toThrow(message);
    expect(await read('a')).toBe('1');
    expect(await readdir(directory)).toHaveLength(3);
  });

  it('refuses a file that is a directory too', async () => {
    await expect(write({ a: '1', 'a/b': '2' })).rejects.toThrow('invalid path: a is also a directory');
  });
});
