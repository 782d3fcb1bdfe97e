import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FollowedFiles, followFiles, TryAgain } from './follow-files.ts';

let directory: string;
let followed: FollowedFiles | undefined;
let changes: (readonly string[])[];
let errors: unknown[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'follow-'));
  changes = [];
  errors = [];
});
afterEach(async () => {
  followed?.close();
  await rm(directory, { recursive: true });
});

/** The timeout is long enough for a busy machine. */
const eventually = (check: () => void): Promise<void> => vi.waitFor(check, 10_000);
const path = (name: string): string => join(directory, name);

function follow(
  names: readonly string[],
  initial: readonly string[],
  fails?: (contents: readonly string[]) => Error | undefined,
): void {
  followed = followFiles({
    files: names.map(path),
    initial,
    intervalMs: 20,
    onChange: (contents) => {
      changes.push(contents);
      const error = fails?.(contents);
      if (error) throw error;
    },
    onError: (error) => void errors.push(error),
  });
}

describe('files that are followed', () => {
  it('are reported together when one of them changes', async () => {
    await writeFile(path('a'), '1');
    await writeFile(path('b'), '1');
    follow(['a', 'b'], ['1', '1']);
    await writeFile(path('b'), '2');
    await eventually(() => expect(changes).toEqual([['1', '2']]));
    expect(errors).toEqual([]);
  });

  it('are reported only when writing has finished', async () => {
    await writeFile(path('a'), '1');
    follow(['a'], ['1']);
    // Each content exists for less than the settling time, but long enough to be noticed.
    for (const step of ['', 'begun', 'half', 'nearly', 'all of it']) {
      await writeFile(path('a'), step);
      await setImmediate();
    }
    await eventually(() => expect(changes).toEqual([['all of it']]));
  });

  it('are reported when they changed before following began', async () => {
    await writeFile(path('a'), '2');
    follow(['a'], ['1']);
    await eventually(() => expect(changes).toEqual([['2']]));
  });

  it('are reported when replaced by symbolic links, as in volumes', async () => {
    for (const version of ['1', '2']) {
      await mkdir(path(`v${version}`));
      await writeFile(path(`v${version}/a`), version);
    }
    await symlink('v1', path('..data'));
    await symlink('..data/a', path('a'));
    follow(['a'], ['1']);
    await symlink('v2', path('..new'));
    await rename(path('..new'), path('..data'));
    await eventually(() => expect(changes).toEqual([['2']]));
  });

  it('are not reported again when onChange throws, until they change', async () => {
    await writeFile(path('a'), 'bad');
    follow(['a'], ['good'], ([text]) => (text === 'bad' ? new Error('bad') : undefined));
    await eventually(() => expect(errors).toEqual([new Error('bad')]));
    await writeFile(path('a'), 'better');
    await eventually(() => expect(changes).toEqual([['bad'], ['better']]));
  });

  it('are reported again when onChange throws TryAgain', async () => {
    await writeFile(path('a'), '2');
    follow(['a'], ['1'], () => (changes.length < 3 ? new TryAgain('not yet') : undefined));
    await eventually(() => expect(changes.length).toBe(3));
    expect(errors.length).toBe(2);
  });

  it('may be missing for a while', async () => {
    follow(['a'], ['1']);
    await eventually(() => expect(errors[0]).toMatchObject({ code: 'ENOENT' }));
    await writeFile(path('a'), '2');
    await eventually(() => expect(changes).toEqual([['2']]));
  });
});
