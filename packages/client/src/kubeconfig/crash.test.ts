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

/** More than there are. */
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

/** Gives the signal that ended it. */
async function changeAndDie(at: number, path: string): Promise<unknown> {
  const child = spawn(process.execPath, [program, String(at), path], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [status, signal] = await once(child, 'exit');
  if (signal === null) expect(status).toBe(0);
  return signal;
}

/** Nobody can tell whose a lock is that was made and not written to: it is waited for. Here it has been. */
async function ageEmptyLock(lock: string): Promise<boolean> {
  const size = await stat(lock).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === 0) await utimes(lock, 0, 0);
  return size === 0;
}

it('a kubeconfig is whole and can be changed, wherever a change of it was killed', { timeout: 120_000 }, async () => {
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
  // The test would prove little if it had not been killed in the middle.
  expect(at).toBeGreaterThan(8);
  expect(at).toBeLessThan(mostOperations);
  expect(left.lock).toBeGreaterThan(5);
  expect(left.emptyLock).toBe(1);
  expect(left.secret).toBeGreaterThan(2);
});

it('what an older version left of a kubeconfig is taken away when it is old', async () => {
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
