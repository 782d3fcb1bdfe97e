import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('works in node:test, and the process ends by itself', () => {
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--conditions=coxswain-source',
      '--import=tsx',
      '--test-reporter=tap',
      fileURLToPath(new URL('node-test.test-data.ts', import.meta.url)),
    ],
    // Without the environment variables of vitest's workers.
    { encoding: 'utf8', timeout: 50_000, env: { PATH: process.env.PATH, HOME: process.env.HOME } },
  );
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
  expect(stdout).toContain('# pass 2');
  expect(stdout).toContain('# fail 0');
});
