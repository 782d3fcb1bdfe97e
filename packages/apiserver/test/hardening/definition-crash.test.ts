import { spawn } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openLmdbStore } from '@coxswain/storage';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  atsUrl,
  definitionOf,
  definitionsUrl,
  type Json,
  TestApi,
  type TestObject,
  versionOf,
} from '../../src/crd/custom-resources.test-data.ts';
import { startTestServer } from '../test-server.ts';

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'definitions-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** Returns the status of a definition's conditions, by type. */
const conditionsOf = ({ status }: TestObject): Record<string, unknown> =>
  Object.fromEntries(
    (((status as Json | undefined)?.conditions ?? []) as Json[]).map(({ type, status: is }) => [String(type), is]),
  );

const apiOver = async (path: string): Promise<TestApi> =>
  TestApi.of((await startTestServer({ store: await openLmdbStore({ path }) }, { shutdownGraceMs: 0 })).server);

const merge = 'application/merge-patch+json';
const object = (group: string, version: string, name: string, metadata: Json = {}): Json => ({
  apiVersion: `${group}/${version}`,
  kind: 'At',
  metadata: { name, ...metadata },
  spec: { a: 'x' },
});

describe('definitions in a directory', () => {
  it('have the same state after a stop without a grace period and a restart', async () => {
    const path = join(scratch, 'stopped');
    const first = await apiOver(path);
    const twoVersions = [versionOf('v1', false, 'a'), versionOf('v2', true, 'a', 'b')];
    await first.define(definitionOf('good.dev', [versionOf('v1', true, 'a')]));
    await first.send('POST', atsUrl('good.dev', 'v1'), object('good.dev', 'v1', 'old'));
    await first.send('PATCH', `${definitionsUrl}/ats.good.dev`, { spec: { versions: twoVersions } }, merge);
    await first.send('POST', atsUrl('good.dev', 'v1'), object('good.dev', 'v1', 'new'));
    // Another definition has the same names, and a third one is being deleted.
    const names = { plural: 'others', singular: 'at', kind: 'At' };
    const rival = { ...definitionOf('good.dev', twoVersions, { names }), metadata: { name: 'others.good.dev' } };
    await first.send('POST', definitionsUrl, rival);
    await first.until(`${definitionsUrl}/others.good.dev`, (found) => conditionsOf(found).NamesAccepted === 'False');
    await first.define(definitionOf('leaving.dev', [versionOf('v1', true, 'a')]));
    const held = { finalizers: ['a.b/c'] };
    await first.send('POST', atsUrl('leaving.dev', 'v1'), object('leaving.dev', 'v1', 'held', held));
    await first.send('DELETE', `${definitionsUrl}/ats.leaving.dev`);
    await first.until(atsUrl('leaving.dev', 'v1', 'held'), ({ metadata }) => metadata.deletionTimestamp !== undefined);
    const urls = [`${definitionsUrl}/ats.good.dev`, `${definitionsUrl}/others.good.dev`, atsUrl('good.dev', 'v2')];
    const before = await Promise.all(urls.map((url) => first.send('GET', url)));
    await first.server.stop();

    const second = await apiOver(path);
    const after = await Promise.all(urls.map((url) => second.send('GET', url)));
    for (const [index, [status, found]] of after.entries()) {
      const [known, was] = before[index]!;
      expect([status, found.items ?? found]).toEqual([known, was.items ?? was]);
    }
    expect(conditionsOf(after[0]![1])).toEqual({ NamesAccepted: 'True', Established: 'True' });
    expect(conditionsOf(after[1]![1])).toEqual({ NamesAccepted: 'False', Established: 'False' });
    expect((after[0]![1].status as Json).storedVersions).toEqual(['v1', 'v2']);
    expect(await second.send('GET', '/apis/good.dev')).toMatchObject([200, { preferredVersion: { version: 'v2' } }]);
    // The third definition is still being deleted, and is removed when its last object has no finalizer any more.
    const [, leaving] = await second.send('GET', `${definitionsUrl}/ats.leaving.dev`);
    expect(conditionsOf(leaving)).toMatchObject({ Terminating: 'True' });
    const [refused] = await second.send('POST', atsUrl('leaving.dev', 'v1'), object('leaving.dev', 'v1', 'late'));
    expect([403, 405]).toContain(refused);
    await second.send('PATCH', atsUrl('leaving.dev', 'v1', 'held'), { metadata: { finalizers: null } }, merge);
    await second.until(`${definitionsUrl}/ats.leaving.dev`, ({ code }) => code === 404);
    // The names become free for the second definition.
    await second.send('DELETE', `${definitionsUrl}/ats.good.dev`);
    await second.until(`${definitionsUrl}/others.good.dev`, (found) => conditionsOf(found).Established === 'True');
    await second.server.stop();
  });

  /** Bundles the writer to one file, because transpiling all sources in the process takes long. */
  async function bundle(): Promise<string> {
    await build({
      configFile: false,
      logLevel: 'error',
      resolve: { conditions: ['coxswain-source'] },
      build: {
        ssr: fileURLToPath(new URL('./definition-writer.test-data.ts', import.meta.url)),
        outDir: scratch,
        emptyOutDir: false,
        rollupOptions: { output: { entryFileNames: 'writer.mjs' } },
      },
      ssr: { external: ['lmdb'], noExternal: true, resolve: { conditions: ['coxswain-source'] } },
    });
    await symlink(fileURLToPath(new URL('../../../../node_modules', import.meta.url)), join(scratch, 'node_modules'));
    return join(scratch, 'writer.mjs');
  }

  /** Runs the writer until it has printed `enough` lines, kills it, and returns these lines. */
  async function runAndKill(program: string, path: string, prefix: string, enough: number): Promise<string[]> {
    const child = spawn(process.execPath, [program, path, prefix], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    const told: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      told.push(line);
      if (told.length === enough) child.kill('SIGKILL');
    }
    expect(await exited).toBe('SIGKILL');
    // Later lines are dropped, because the last one may be incomplete.
    return told.slice(0, enough);
  }

  it('are not lost when the process is killed, nor are their objects', { timeout: 240_000 }, async () => {
    const program = await bundle();
    const path = join(scratch, 'killed');
    const told: string[] = [];
    for (const [round, enough] of [7, 40, 90].entries())
      told.push(...(await runAndKill(program, path, `k${round}`, enough)));

    const api = await apiOver(path);
    const words = told.map((line) => line.split(' ') as [string, string, string?]);
    const groupsOf = (what: string): Set<string> => new Set(words.filter(([kind]) => kind === what).map(([, g]) => g));
    const [deleting, gone, stored] = [groupsOf('deleting'), groupsOf('gone'), groupsOf('stored')];
    for (const group of groupsOf('defined')) {
      const url = `${definitionsUrl}/ats.${group}`;
      if (deleting.has(group)) {
        // The deletion may or may not have been stored. If it was, the definition is removed eventually.
        const [code, found] = await api.send('GET', url);
        if (gone.has(group)) expect(code).toBe(404);
        if (code === 404 || !found.metadata.deletionTimestamp) continue;
        await api.until(url, ({ code: later }) => later === 404);
        expect((await api.server.config.store.list(`/registry/${group}/`)).entries).toEqual([]);
        continue;
      }
      const [status, definition] = await api.send('GET', url);
      expect([group, status]).toEqual([group, 200]);
      expect(conditionsOf(definition)).toEqual({ NamesAccepted: 'True', Established: 'True' });
      const { storedVersions } = definition.status as { storedVersions: string[] };
      if (stored.has(group)) expect(storedVersions).toEqual(['v1', 'v2']);
      const version = storedVersions.at(-1) ?? '';
      const [listed, { items }] = await api.send('GET', atsUrl(group, version));
      expect([group, listed]).toEqual([group, 200]);
      const names = items.map(({ metadata }) => metadata.name);
      const made = words.filter(([kind, of]) => kind === 'made' && of === group).map(([, , name]) => name);
      expect(names).toEqual(expect.arrayContaining(made));
      for (const item of items) expect(item).toMatchObject({ apiVersion: `${group}/${version}`, spec: { a: 'x' } });
    }
    expect(groupsOf('defined').size).toBeGreaterThan(5);
    await api.server.stop();
  });
});
