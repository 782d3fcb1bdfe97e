import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { recordLogs } from '@coxswain/apimachinery/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContainerLogManager, type ContainerLogManagerOptions } from './container-log-manager.ts';
import { LogScratch, ScriptedRuntime } from './scripted-runtime.test-data.ts';

let scratch: LogScratch;
let runtime: ScriptedRuntime;
const recorded = recordLogs();
const { signal } = new AbortController();

beforeEach(() => {
  scratch = new LogScratch();
  runtime = new ScriptedRuntime();
  runtime.container('c1', { logPath: scratch.path });
  recorded.clear();
});
afterEach(() => scratch.dispose());

function manager(options: Partial<ContainerLogManagerOptions> = {}): ContainerLogManager {
  const { clock, cri } = runtime;
  return new ContainerLogManager({
    service: cri.runtime,
    clock,
    logger: recorded.logger,
    maxSizeBytes: 10,
    ...options,
  });
}

const files = (): string[] => readdirSync(dirname(scratch.path)).sort();
const fileAt = (suffix: string): Buffer => readFileSync(scratch.path + suffix);
const write = (content: string, suffix = ''): void => writeFileSync(scratch.path + suffix, content);

describe('the log of a running container', () => {
  it('is rotated when it is large, and compressed at the next rotation', async () => {
    const logs = manager({ maxFiles: 4 });
    for (const [i, content] of ['first log…', 'second log', 'third log.', 'fourth log', 'fifth log.'].entries()) {
      write(content);
      await logs.rotateLogs(signal);
      runtime.clock.turn(10_000);
      if (i === 0) expect(files()).toEqual(['0.log', '0.log.20260102-030405']);
    }
    expect(files()).toEqual(['0.log', '0.log.20260102-030425.gz', '0.log.20260102-030435.gz', '0.log.20260102-030445']);
    expect(fileAt('').toString()).toBe('');
    expect(fileAt('.20260102-030445').toString()).toBe('fifth log.');
    expect(gunzipSync(fileAt('.20260102-030435.gz')).toString()).toBe('fourth log');
    expect(gunzipSync(fileAt('.20260102-030425.gz')).toString()).toBe('third log.');
    expect(runtime.changes).toEqual(Array(5).fill('reopenContainerLog c1'));
    expect(recorded.lines).toEqual([]);
  });

  it('stays while it is small', async () => {
    write('too small');
    await manager().rotateLogs(signal);
    expect(files()).toEqual(['0.log']);
  });

  it('keeps its permissions when it is compressed', async () => {
    write('large enough');
    writeFileSync(`${scratch.path}.20260101-000000`, 'older', { mode: 0o640 });
    await manager().rotateLogs(signal);
    expect(statSync(`${scratch.path}.20260101-000000.gz`).mode & 0o777).toBe(0o640);
  });

  it('is made again if it is missing', async () => {
    await manager().rotateLogs(signal);
    expect(files()).toEqual(['0.log']);
  });

  it('is not rotated twice within a second, which would replace the older file', async () => {
    const logs = manager();
    for (const content of ['the first one', 'the second one']) {
      write(content);
      await logs.rotateLogs(signal);
    }
    expect(files()).toEqual(['0.log', '0.log.20260102-030405']);
    expect(fileAt('').toString()).toBe('the second one');
    expect(fileAt('.20260102-030405').toString()).toBe('the first one');
  });

  it('is rotated after the unfinished files of a crash were removed', async () => {
    write('large enough');
    write('unfinished', '.20260101-000000.gz.tmp');
    write('already compressed', '.20260101-000001');
    write('compressed', '.20260101-000001.gz');
    await manager().rotateLogs(signal);
    expect(files()).toEqual(['0.log', '0.log.20260101-000001.gz', '0.log.20260102-030405']);
    expect(fileAt('.20260101-000001.gz').toString()).toBe('compressed');
  });

  it('gets its name back if the runtime cannot begin a new one', async () => {
    write('large enough');
    runtime.onReopen = () => {};
    runtime.failing.set('reopenContainerLog', 'Unavailable');
    await manager().rotateLogs(signal);
    expect(files()).toEqual(['0.log']);
    expect(fileAt('').toString()).toBe('large enough');
    expect(recorded.lines).toEqual([expect.stringContaining('error "Failed to rotate log for container"')]);
  });

  it('is not replaced if the runtime has begun a new one before it failed', async () => {
    write('large enough');
    runtime.onReopen = ({ logPath }) => {
      writeFileSync(logPath, 'new');
      runtime.failing.set('reopenContainerLog', 'DeadlineExceeded');
    };
    await manager().rotateLogs(signal);
    expect(files()).toEqual(['0.log', '0.log.20260102-030405']);
    expect(fileAt('').toString()).toBe('new');
  });
});

it('the log of an ended container stays as it is', async () => {
  write('large enough');
  runtime.container('c1', { state: 'CONTAINER_EXITED', logPath: scratch.path });
  await manager().rotateLogs(signal);
  expect(files()).toEqual(['0.log']);
});

it('a container whose log cannot be rotated does not hinder others', async () => {
  runtime.container('c0', { logPath: scratch.root });
  write('large enough');
  await manager({ maxWorkers: 3 }).rotateLogs(signal);
  expect(files()).toEqual(['0.log', '0.log.20260102-030405']);
  expect(recorded.lines).toEqual([expect.stringContaining('is not a regular file')]);
});

it('logs are looked at in an interval, also after the runtime did not answer', async () => {
  const stop = new AbortController();
  runtime.failing.set('listContainers', 'Unavailable');
  write('large enough');
  const running = manager({ monitorIntervalMs: 5000 }).run(stop.signal);
  await runtime.clock.advance(0);
  expect(recorded.lines).toEqual([expect.stringContaining('error "Failed to rotate container logs"')]);
  runtime.failing.clear();
  while (runtime.changes.length === 0) await runtime.clock.advance(1000);
  await runtime.clock.advance(0);
  stop.abort();
  await running;
  expect(files()).toEqual(['0.log', expect.stringMatching(/^0\.log\.20260102-0304\d\d$/)]);
});

it('a negative size turns rotation off', async () => {
  await manager({ maxSizeBytes: -1 }).run(signal);
});

it('a single file is refused', () => {
  expect(() => manager({ maxFiles: 1 })).toThrow('invalid MaxFiles 1, must be > 1');
});

describe('cleaning', () => {
  it('removes the log of a container with all rotated files, and nothing else', async () => {
    for (const suffix of ['', '.20260101-000000.gz', '.20260101-000001', '.20260101-000000.gz.tmp'])
      write('log', suffix);
    writeFileSync(`${dirname(scratch.path)}/10.log`, 'of another run');
    await manager().clean('c1');
    await manager().clean('c1');
    expect(files()).toEqual(['10.log']);
  });

  it('has no effect if there is no directory or no path', async () => {
    rmSync(scratch.root, { recursive: true });
    await manager().clean('c1');
    runtime.container('c2');
    await manager().clean('c2');
  });
});
