import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { containerStatus } from './assertions.ts';
import type { ContractCases, ContractTest } from './runtime-under-test.ts';

const started = async (test: ContractTest, script: string): Promise<string> => {
  const containerId = await test.container(await test.sandbox(), { script });
  await test.runtime.startContainer({ containerId });
  return containerId;
};

const output = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

export const processCases: ContractCases = {
  'a command in a container has its output and exit code': async (test) => {
    const containerId = await started(test, 'exec sleep 1000');
    const cmd = ['/bin/sh', '-c', 'echo out; echo err >&2; exit 7'];
    const { stdout, stderr, exitCode } = await test.runtime.execSync({ containerId, cmd, timeout: 20 });
    assert.deepEqual([output(stdout), output(stderr), exitCode], ['out\n', 'err\n', 7]);
  },

  'a command that takes too long fails': async (test) => {
    const containerId = await started(test, 'exec sleep 1000');
    await assert.rejects(test.runtime.execSync({ containerId, cmd: ['sleep', '1000'], timeout: 1 }));
  },

  'what a container prints is in its log, with time and stream': async (test) => {
    const containerId = await started(test, 'echo out; echo err >&2');
    await test.until(async () => (await containerStatus(test.runtime, containerId)).state === 'CONTAINER_EXITED');
    const { logPath } = await containerStatus(test.runtime, containerId);
    const lines = (await readFile(logPath, 'utf8')).trim().split('\n').sort();
    const [time, ...rest] = lines
      .map((line) => /^(\S+) (.*)$/.exec(line)!.slice(1))
      .map(([at, text]) => `${at}|${text}`);
    assert.match(time ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)\|/);
    const texts = [time ?? '', ...rest].map((line) => line.slice(line.indexOf('|') + 1)).sort();
    assert.deepEqual(texts, ['stderr F err', 'stdout F out']);
  },

  'a log that was moved away continues in a new file': async (test) => {
    const containerId = await started(test, 'while :; do echo more; sleep 0.05; done');
    const { logPath } = await containerStatus(test.runtime, containerId);
    const { rename } = await import('node:fs/promises');
    await rename(logPath, `${logPath}.1`);
    await test.runtime.reopenContainerLog({ containerId });
    await test.until(async () => (await readFile(logPath, 'utf8').catch(() => '')).includes('more'));
  },

  'a container that ignores its stop signal is killed after the grace period': async (test) => {
    const containerId = await started(test, "trap '' TERM; while :; do sleep 0.05; done");
    await test.runtime.stopContainer({ containerId, timeout: 1 });
    assert.equal((await containerStatus(test.runtime, containerId)).exitCode, 137);
  },
};
