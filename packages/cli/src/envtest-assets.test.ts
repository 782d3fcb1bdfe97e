import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { envtestAssets } from './envtest-assets.ts';

it('refuses on Windows, where envtest needs other programs', async () => {
  const directory = join(tmpdir(), 'envtest-assets-of-windows');
  const terminal = { out: () => {}, err: () => {} };
  const written = envtestAssets(directory, terminal, { cox: ['cox'], env: {}, platform: 'win32' });
  await expect(written).rejects.toThrow('envtest needs programs that end with .exe on Windows');
  expect(existsSync(directory)).toBe(false);
});
