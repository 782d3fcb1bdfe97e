import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ProcessGroup } from './process-group.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'process-group-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function start(script: string): Promise<ProcessGroup> {
  const log = join(folder, 'log');
  return await new Promise((resolve) => {
    const group: ProcessGroup = new ProcessGroup('sh', ['-c', script], { log, onOutput: () => resolve(group) });
  });
}

it('returns the status and logs the output', async () => {
  const group = await start('echo out; echo err >&2; exit 3');
  expect(await group.ended).toBe(3);
  expect(readFileSync(join(folder, 'log'), 'utf8').split('\n').sort()).toEqual(['', 'err', 'out']);
});

// `ended` resolves when no process has the output open any more, which includes child processes.
it('stops child processes too', async () => {
  const group = await start('sleep 600 & echo started; wait');
  await group.stop(60_000);
  expect(await group.ended).toBeNull();
});

it('sends SIGKILL when SIGTERM has no effect', async () => {
  const group = await start('trap "" TERM; echo started; sleep 600; sleep 600');
  await group.stop(10);
  expect(await group.ended).toBeNull();
});

it('rejects for a missing program, and can be stopped nevertheless', async () => {
  const group = new ProcessGroup(join(folder, 'none'), [], { log: join(folder, 'log') });
  await expect(group.ended).rejects.toThrow('ENOENT');
  await group.stop(10);
});
