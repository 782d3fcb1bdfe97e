import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { seededRandom } from '@coxswain/apimachinery/random';
import { readMountInfo } from '@coxswain/linux';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archiveOf, type TestEntry, unpackProblem } from '../src/layers/archives.test-data.ts';
import { openImages } from '../src/open-images.ts';
import { type ScriptedRegistry, startScriptedRegistry } from './scripted-registry.ts';
import { testImage } from './test-image.ts';

if (unpackProblem) console.warn(`SKIPPED: kill -9 in the middle of pulls. ${unpackProblem}`);

const kills = 12;
const imageCount = 4;

describe.skipIf(unpackProblem)('kill -9 in the middle of pulls (needs root)', () => {
  let scratch: string;
  let registry: ScriptedRegistry;
  /** What each image has in it, by the id. */
  const contents = new Map<string, ReadonlyMap<string, string>>();
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'cox-crash-'));
    registry = await startScriptedRegistry();
    for (let at = 0; at < imageCount; at++) {
      const layers = [filesOf(0), filesOf(at + 1), filesOf(at + 100)];
      const image = testImage({ layers: await Promise.all(layers.map(archiveOf)) });
      registry.add(String(at), image);
      contents.set(image.id, new Map(layers.flat().map(({ path, content = '' }) => [path, sumOf(content)])));
    }
  });
  afterEach(async () => {
    await registry.close();
    await rm(scratch, { recursive: true });
  });

  it('leaves no image that is not whole, and nothing half after the next start', async () => {
    const root = join(scratch, 'images');
    const random = seededRandom(7);
    let seen = 0;
    for (let kill = 0; kill < kills; kill++) {
      const child = startPulling(root, registry.host);
      await opened(child);
      // Any moment will do: what is tested is that none matters.
      await delay(random.integer(700));
      await killed(child);

      const images = await openImages({ root });
      const listed = images.store.list();
      seen += listed.length;
      for (const { id } of listed) {
        const { path } = await images.roots.makeReadOnly('check', id);
        for (const [file, sum] of contents.get(id)!)
          expect(sumOf(await readFile(join(path, file))), `${file} of ${id}`).toBe(sum);
        await images.roots.remove('check');
      }
      for (const id of await images.roots.list()) await images.roots.remove(id);
      const names = async (name: string): Promise<string[]> => await readdir(join(root, name));
      for (const name of ['layers', 'roots', 'blobs/sha256']) {
        expect(
          (await names(name)).filter((it) => !/^[0-9a-f]{64}$/.test(it)),
          name,
        ).toEqual([]);
      }
      const used = new Set(listed.flatMap(({ configuration }) => configuration.diffIds));
      expect((await names('layers')).length).toBe(used.size);
      expect((await names('blobs/sha256')).length).toBe(2 * listed.length);
      const others = (await readdir(root)).filter((it) => it !== 'images.json').sort();
      expect(others).toEqual(['blobs', 'downloads', 'layers', 'roots']);
      expect((await readMountInfo()).filter(({ mountPoint }) => mountPoint.startsWith(scratch))).toEqual([]);
      await images.close();
    }
    expect(seen).toBeGreaterThan(0);
  }, 240_000);
});

function filesOf(seed: number): (TestEntry & { readonly content: Buffer })[] {
  return Array.from({ length: 30 }, (_, at) => ({ path: `d${seed}/f${at}`, content: randomBytes(at * 700) }));
}

const sumOf = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex');

function startPulling(root: string, host: string): ChildProcess {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const program = join(import.meta.dirname, 'pull-forever.ts');
  const flags = ['--conditions=coxswain-source', '--import', tsx, program, root, host, String(imageCount)];
  return spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function opened(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`the program ended with ${code}`)));
  });
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
