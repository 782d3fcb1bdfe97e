import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadKubeConfig } from './load-kubeconfig.ts';
import { modifyKubeConfig } from './modify-kubeconfig.ts';
import { kubeconfigText, tempDir } from './temp-dir.test-data.ts';

/** An upper limit of the number of file operations. */
const mostOperations = 60;

let scratch: string;
let program: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'cox-crash-'));
  program = join(scratch, 'writer.mjs');
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: fileURLToPath(new URL('./crash-writer.test-data.ts', import.meta.url)),
      target: 'esnext',
      outDir: scratch,
      emptyOutDir: false,
      rollupOptions: { output: { entryFileNames: 'writer.mjs' } },
    },
    ssr: { noExternal: true, resolve: { conditions: ['coxswain-source'] } },
  });
}, 60_000);

afterAll(() => rm(scratch, { recursive: true, force: true }));

/** Runs the writer, and returns the signal that killed it; null when it completed. */
async function changeAndDie(at: number, path: string): Promise<unknown> {
  const child = spawn(process.execPath, [program, String(at), path], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [status, signal] = await once(child, 'exit');
  if (signal === null) expect(status).toBe(0);
  return signal;
}

/** An empty lock file has no owner, so others wait until it is 10 s old. Makes it that old. */
async function ageEmptyLock(lock: string): Promise<boolean> {
  const size = await stat(lock).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === 0) await utimes(lock, 0, 0);
  return size === 0;
}

it('a kubeconfig is intact and can be modified after a writer was killed at any point', {
  timeout: 120_000,
}, async () => {
  const left = { lock: 0, emptyLock: 0, secret: 0 };
  let at = 1;
  for (; at < mostOperations; at++) {
    const directory = await tempDir({ config: kubeconfigText() });
    const path = join(directory, 'config');
    if ((await changeAndDie(at, path)) === null) break;
    const names = await readdir(directory);
    if (await ageEmptyLock(`${path}.lock`)) left.emptyLock++;
    if (names.includes('config.lock')) left.lock++;
    if (names.some((name) => name.endsWith('.tmp'))) left.secret++;
    const { users } = await loadKubeConfig({ path });
    expect([undefined, 'secret']).toContain(users.get('new')?.token);
    await modifyKubeConfig(({ clusters }) => void clusters.set('next', { server: 'https://next' }), {
      path,
      lockTimeoutMs: 0,
    });
    expect((await loadKubeConfig({ path })).clusters.get('next')).toEqual({ server: 'https://next' });
    expect(await readdir(directory)).toEqual(['config']);
  }
  // Checks that the writer was killed in the middle of its work.
  expect(at).toBeGreaterThan(8);
  expect(at).toBeLessThan(mostOperations);
  expect(left.lock).toBeGreaterThan(5);
  expect(left.emptyLock).toBe(1);
  expect(left.secret).toBeGreaterThan(2);
});

it('temporary files of older versions are removed when they are old', async () => {
  const directory = await tempDir({ config: kubeconfigText(), 'config.0123456789ab.tmp': 'secret', 'config.tmp': '' });
  const path = join(directory, 'config');
  await modifyKubeConfig(() => {}, { path });
  expect((await readdir(directory)).sort()).toEqual(['config', 'config.0123456789ab.tmp', 'config.tmp']);
  await utimes(join(directory, 'config.0123456789ab.tmp'), 0, 0);
  await writeFile(join(directory, 'other.0123456789ab.tmp'), 'not ours');
  await utimes(join(directory, 'other.0123456789ab.tmp'), 0, 0);
  await modifyKubeConfig(() => {}, { path });
  expect((await readdir(directory)).sort()).toEqual(['config', 'config.tmp', 'other.0123456789ab.tmp']);
  expect(await readFile(path, 'utf8')).toBe(kubeconfigText());
});
