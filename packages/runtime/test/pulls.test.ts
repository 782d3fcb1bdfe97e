import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LayerProgress } from '../src/images/pull-progress.ts';
import { archiveOf, unpackProblem } from '../src/layers/archives.test-data.ts';
import { type Images, type OpenImagesOptions, openImages } from '../src/open-images.ts';
import { type DockerRegistry, registryProblem, startDockerRegistry } from './docker-registry.ts';
import { indexOf, machineArchitecture, testImage } from './test-image.ts';

const problem = unpackProblem ?? (await registryProblem());
if (problem) console.warn(`SKIPPED: pulls from a real registry. ${problem}`);

describe.skipIf(problem)('a real registry', () => {
  let registry: DockerRegistry;
  let scratch: string;
  let images: Images;
  const open = async (options: Partial<OpenImagesOptions> = {}): Promise<Images> => {
    await images?.close();
    images = await openImages({ root: join(scratch, 'images'), ...options });
    return images;
  };
  beforeAll(async () => {
    registry = await startDockerRegistry();
  });
  afterAll(() => registry?.close());
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'cox-pulls-'));
    await open();
  });
  afterEach(async () => {
    for (const id of await images.roots.list()) await images.roots.remove(id);
    await images.close();
    await rm(scratch, { recursive: true });
  });

  const base = () =>
    archiveOf([
      { path: 'etc', type: 'directory', mode: 0o750, uid: 3, gid: 4 },
      { path: 'etc/hosts', content: 'base' },
      { path: 'etc/old', content: 'goes' },
      { path: 'opt/a/b', content: 'hidden' },
    ]);
  const top = () =>
    archiveOf([
      { path: 'etc/.wh.old' },
      { path: 'etc/new', content: 'top' },
      { path: 'opt/a/.wh..wh..opq' },
      { path: 'opt/a/c', content: 'seen' },
    ]);

  it('gives an image whose layers are joined, and that is known by its names', async () => {
    const image = testImage({
      layers: [await base(), await top()],
      settings: { User: '12:3', Cmd: ['/run'], Env: ['A=1'] },
    });
    const digest = await registry.push('team/web', '1', image);
    const seen: LayerProgress[] = [];
    const name = `${registry.host}/team/web`;
    const pulled = await images.store.pull(`${name}:1`, { onProgress: (progress) => seen.push(progress) });
    expect(pulled).toMatchObject({
      id: image.id,
      repoTags: [`${name}:1`],
      repoDigests: [`${name}@${digest}`],
      isPinned: false,
      configuration: { architecture: machineArchitecture, config: { User: '12:3', Cmd: ['/run'], Env: ['A=1'] } },
    });
    const total = [...image.blobs.values()].reduce(
      (sum, blob) => sum + blob.length,
      image.manifests[0]!.content.length,
    );
    expect(pulled.size).toBe(total);
    for (const state of ['waiting', 'downloading', 'unpacking', 'done'])
      expect(seen.map((it) => it.state)).toContain(state);
    expect(seen.filter(({ state }) => state === 'done').every(({ bytes, total: all }) => bytes === all)).toBe(true);
    for (const other of [`${name}:1`, `${name}@${digest}`, image.id, image.id.slice(7, 20)]) {
      expect((await images.store.find(other))?.id, other).toBe(image.id);
    }
    expect(await readdir(join(scratch, 'images', 'downloads'))).toEqual([]);

    const { path } = await images.roots.make('c1', image.id);
    expect((await readdir(join(path, 'etc'))).sort()).toEqual(['hosts', 'new']);
    expect(await readdir(join(path, 'opt/a'))).toEqual(['c']);
    await writeFile(join(path, 'etc/hosts'), 'mine');
    const other = await images.roots.makeReadOnly('v1', image.id);
    expect(await readFile(join(other.path, 'etc/hosts'), 'utf8')).toBe('base');
    await expect(writeFile(join(other.path, 'etc/hosts'), '')).rejects.toThrow('EROFS');
  });

  it('gives of an index what this machine can run, by tag and by digest, with layers of any compression', async () => {
    const layers = [await base(), await top()];
    const zstd = testImage({
      layers,
      compress: (layer) => execFileSync('zstd', ['-q', '-c'], { input: layer, maxBuffer: 2 ** 26 }),
      layerType: 'application/vnd.oci.image.layer.v1.tar+zstd',
    });
    const other = testImage({ layers: [await top()], architecture: 's390x' });
    const index = indexOf({ 'linux/s390x': other, [`linux/${machineArchitecture}`]: zstd });
    const digest = await registry.push('team/multi', 'latest', index);
    const name = `${registry.host}/team/multi`;
    const byTag = await images.store.pull(name);
    expect(byTag).toMatchObject({ id: zstd.id, repoTags: [`${name}:latest`], repoDigests: [`${name}@${digest}`] });
    await images.store.remove(name);
    const byDigest = await images.store.pull(`${name}:ignored@${digest}`);
    expect(byDigest).toMatchObject({ id: zstd.id, repoTags: [], repoDigests: [`${name}@${digest}`] });
    // The same image by another manifest: nothing is downloaded again.
    const gzip = testImage({ layers });
    await registry.push('team/multi', 'gzip', gzip);
    const states: string[] = [];
    const again = await images.store.pull(`${name}:gzip`, { onProgress: ({ state }) => states.push(state) });
    expect(again.id).toBe(zstd.id);
    expect(new Set(states)).toEqual(new Set(['waiting', 'exists']));
    expect(again.repoDigests).toHaveLength(2);
    await open();
    expect(images.store.list()).toEqual([again]);
  });
});
