import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logSymlinkPath, makeLogSymlink, removeDanglingLogSymlinks, removeLogSymlink } from './log-symlinks.ts';
import { LogScratch, ScriptedRuntime } from './scripted-runtime.test-data.ts';

const id = 'f'.repeat(64);
const container = { id, name: 'main', podName: 'web-1', podNamespace: 'default' };
const name = `web-1_default_main-${id}.log`;

let scratch: LogScratch;
let runtime: ScriptedRuntime;
let directory: string;

beforeEach(() => {
  scratch = new LogScratch();
  runtime = new ScriptedRuntime();
  directory = join(scratch.root, 'containers');
  writeFileSync(scratch.path, '');
});
afterEach(() => scratch.dispose());

describe('the symlink of a container', () => {
  it('has a name that tells the pod, its namespace, the container and its id', async () => {
    await makeLogSymlink(directory, container, scratch.path);
    expect(readlinkSync(join(directory, name))).toBe(scratch.path);
    await makeLogSymlink(directory, container, scratch.path);
    await removeLogSymlink(directory, container);
    await removeLogSymlink(directory, container);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('has a name that is cut where file names end', () => {
    const path = logSymlinkPath('/logs', { ...container, podName: 'p'.repeat(253) });
    expect(path).toBe(`/logs/${'p'.repeat(251)}.log`);
  });

  it('replaces what leads elsewhere', async () => {
    mkdirSync(directory);
    symlinkSync('/elsewhere', join(directory, name));
    await makeLogSymlink(directory, container, scratch.path);
    expect(readlinkSync(join(directory, name))).toBe(scratch.path);
  });

  it('is not made without a log', async () => {
    rmSync(scratch.path);
    await makeLogSymlink(directory, container, scratch.path);
    expect(lstatSync(directory, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('symlinks that lead nowhere', () => {
  const left = async (): Promise<string[]> => {
    await removeDanglingLogSymlinks(directory, runtime.cri.runtime);
    return readdirSync(directory).sort();
  };

  beforeEach(async () => {
    await makeLogSymlink(directory, container, scratch.path);
  });

  it('are removed if the container has ended or is gone', async () => {
    expect(await left()).toEqual([name]);
    rmSync(scratch.path);
    runtime.container(id, { state: 'CONTAINER_EXITED' });
    expect(await left()).toEqual([]);
    symlinkSync(scratch.path, join(directory, name));
    runtime.containers.clear();
    expect(await left()).toEqual([]);
  });

  it('are kept while the log may come again', async () => {
    rmSync(scratch.path);
    runtime.container(id);
    expect(await left()).toEqual([name]);
    runtime.failing.set('containerStatus', 'Unavailable');
    expect(await left()).toEqual([name]);
  });

  it('are removed if their name tells no container', async () => {
    for (const each of ['a.log', 'a-12345.log', 'other']) symlinkSync('/nowhere', join(directory, each));
    writeFileSync(join(directory, 'file.log'), '');
    expect(await left()).toEqual(['file.log', 'other', name]);
  });

  it('are none if there is no directory', async () => {
    rmSync(directory, { recursive: true });
    await removeDanglingLogSymlinks(directory, runtime.cri.runtime);
  });
});
