import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ClusterDirectory } from './cluster-directory.ts';
import { podRangeOf } from './pod-range.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'cox-pod-range-'));
});
afterEach(() => rm(home, { recursive: true }));

const directory = (name: string) => new ClusterDirectory(join(home, name));

it('clusters on the same machine have different addresses for pods, and keep them', async () => {
  const [one, two] = [directory('one'), directory('two')];
  const first = await podRangeOf(one, []);
  const second = await podRangeOf(two, [one]);
  expect(first).toMatch(/^10\.2\d\d\.0\.0\/16$/);
  expect(second).toMatch(/^10\.2\d\d\.0\.0\/16$/);
  expect(second).not.toBe(first);
  expect(await podRangeOf(one, [two])).toBe(first);
  expect(await podRangeOf(two, [])).toBe(second);
});

it('a damaged record is replaced', async () => {
  const one = directory('one');
  const range = await podRangeOf(one, []);
  await writeFile(join(one.node, 'pod-range'), 'x');
  expect(await podRangeOf(one, [])).toBe(range);
});
