import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cpio } from './cpio.ts';

it('has the headers, names and contents that the kernel expects, at multiples of four', () => {
  const archive = cpio([{ path: 'bin/' }, { path: 'bin/sh', mode: 0o755, content: Buffer.from('12345') }]).toString();
  const header = (inode: number, mode: string, size: number, name: number): string =>
    [`070701${hex(inode)}`, `0000${mode}`, hex(0), hex(0), hex(1), hex(0), hex(size)].join('') +
    [hex(0).repeat(4), hex(name), hex(0)].join('');
  expect(archive).toBe(
    `${header(1, '41ed', 0, 4)}bin\0\0\0${header(2, '81ed', 5, 7)}bin/sh\0\0\0\x0012345\0\0\0` +
      `${header(3, '8000', 0, 11)}TRAILER!!!\0\0\0\0`,
  );
});

const hex = (value: number): string => value.toString(16).padStart(8, '0');

it.skipIf(!existsSync('/bin/busybox'))('is unpacked by busybox', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'coxswain-cpio-'));
  try {
    const entries = [{ path: 'a/' }, { path: 'a/run', mode: 0o755, content: Buffer.from('#!/bin/sh\n') }];
    await writeFile(join(directory, 'archive'), cpio(entries));
    execFileSync('/bin/busybox', ['cpio', '-i', '-F', 'archive'], { cwd: directory, stdio: 'ignore' });
    expect(await readFile(join(directory, 'a/run'), 'utf8')).toBe('#!/bin/sh\n');
    expect((await stat(join(directory, 'a/run'))).mode & 0o777).toBe(0o755);
  } finally {
    await rm(directory, { recursive: true });
  }
});
