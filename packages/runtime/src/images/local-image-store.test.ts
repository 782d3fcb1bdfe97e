import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { runtimeInProcess } from '@coxswain/cri';
import { ociArchive } from '@coxswain/cri/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archiveOf, inChunks, type TestEntry, unpackProblem } from '../layers/archives.test-data.ts';
import { type Images, type OpenImagesOptions, openImages } from '../open-images.ts';

const run = promisify(execFile);
if (unpackProblem) console.warn(`SKIPPED: the image store. ${unpackProblem}`);

const digestOf = (content: Buffer): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const web = (content = 'one', name = 'registry.example/web:1') =>
  ociArchive({ name, files: [{ path: 'file', content: Buffer.from(content) }], user: 'web:staff' });

/** As `docker save` made it before version 25. */
async function dockerArchive(change: (files: TestEntry[]) => TestEntry[] = (files) => files): Promise<Buffer> {
  const layers = await Promise.all(['low', 'high'].map((content) => archiveOf([{ path: content, content }])));
  const config = json({
    architecture: 'amd64',
    os: 'linux',
    config: { User: '7' },
    rootfs: { type: 'layers', diff_ids: layers.map(digestOf) },
  });
  const name = `${digestOf(config).slice(7)}.json`;
  const manifest = [{ Config: name, RepoTags: ['team/web:2', 'web:latest'], Layers: ['a/layer.tar', 'b/layer.tar'] }];
  return await archiveOf(
    change([
      { path: name, content: config },
      { path: 'a/', type: 'directory' },
      { path: 'a/layer.tar', content: layers[0]! },
      { path: 'c/layer.tar', content: layers[1]! },
      { path: 'b/layer.tar', type: 'symbolicLink', linkTo: '../c/layer.tar' },
      { path: 'manifest.json', content: json(manifest) },
    ]),
  );
}

describe.skipIf(unpackProblem)('the image store (needs root)', () => {
  let scratch: string;
  let images: Images;
  const open = async (options: Partial<OpenImagesOptions> = {}): Promise<void> => {
    await images?.close();
    images = await openImages({ root: join(scratch, 'images'), ...options });
  };
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'cox-store-'));
    await open();
  });
  afterEach(async () => {
    for (const id of await images.roots.list()) await images.roots.remove(id);
    await images.close();
    await rm(scratch, { recursive: true });
  });
  const load = (archive: Buffer) => images.store.load(inChunks(archive));
  const filesIn = async (id: string): Promise<string[]> => {
    const { path } = await images.roots.makeReadOnly('look', id);
    const names = await readdir(path);
    await images.roots.remove('look');
    return names.sort();
  };

  it('loads an archive with an OCI layout, plain and compressed', async () => {
    const archive = web();
    const [image] = await load(archive);
    expect(image).toMatchObject({
      repoTags: ['registry.example/web:1'],
      repoDigests: [],
      configuration: { config: { User: 'web:staff' } },
    });
    expect(await filesIn(image!.id)).toEqual(['file']);
    expect(await load(gzipSync(archive))).toEqual([image]);
    await writeFile(join(scratch, 'archive'), archive);
    await run('zstd', ['-q', join(scratch, 'archive')]);
    expect(await load(await readFile(join(scratch, 'archive.zst')))).toEqual([image]);
    expect(await readdir(join(scratch, 'images'))).not.toContain('downloads/x');
    expect(await readdir(join(scratch, 'images', 'imports'))).toEqual([]);
  });

  it('loads what docker save made, with links between layers', async () => {
    const [image] = await load(await dockerArchive());
    expect(image?.repoTags).toEqual(['docker.io/library/web:latest', 'docker.io/team/web:2']);
    expect(await filesIn(image!.id)).toEqual(['high', 'low']);
    expect((await images.store.find('web'))?.id).toBe(image?.id);
  });

  it.each<[string, (files: TestEntry[]) => TestEntry[], RegExp]>([
    ['a layer is missing', (files) => files.filter(({ path }) => path !== 'c/layer.tar'), /lacks b\/layer.tar/],
    [
      'links lead in a circle',
      (files) => [...files, { path: 'c/layer.tar', type: 'symbolicLink', linkTo: '../b/layer.tar' }],
      /lacks b\/layer.tar/,
    ],
    [
      'a layer is a link outwards',
      (files) => [
        ...files.filter(({ path }) => path !== 'a/layer.tar'),
        { path: 'a/layer.tar', type: 'symbolicLink', linkTo: '/etc/passwd' },
      ],
      /lacks a\/layer.tar/,
    ],
    [
      'layers are exchanged',
      (files) => files.map((file) => (file.path === 'a/layer.tar' ? { ...file, content: files[3]!.content! } : file)),
      /wrong diff id/,
    ],
    [
      'it has no list',
      (files) => files.filter(({ path }) => path !== 'manifest.json'),
      /neither an OCI layout nor a manifest.json/,
    ],
    [
      'its list is damaged',
      (files) => files.map((file) => (file.path === 'manifest.json' ? { ...file, content: '{}' } : file)),
      /is no list/,
    ],
  ])('refuses an archive if %s', async (_, change, message) => {
    await expect(load(await dockerArchive(change))).rejects.toThrow(message);
    expect(images.store.list()).toEqual([]);
    expect(await readdir(join(scratch, 'images', 'layers'))).toEqual([]);
    expect(await readdir(join(scratch, 'images', 'imports'))).toEqual([]);
  });

  it('refuses a blob that is not what its name says', async () => {
    const archive = web();
    const at = archive.indexOf('one');
    archive.write('two', at);
    await expect(load(archive)).rejects.toThrow(/has the digest/);
  });

  it('moves a tag to the image that was loaded last', async () => {
    const [one] = await load(web('one'));
    const [two] = await load(web('two'));
    expect(two!.id).not.toBe(one!.id);
    expect((await images.store.find('registry.example/web:1'))?.id).toBe(two!.id);
    expect((await images.store.find(one!.id))?.repoTags).toEqual([]);
    await open();
    expect((await images.store.find('registry.example/web:1'))?.id).toBe(two!.id);
  });

  it('keeps the layers of an image that a container uses', async () => {
    const [image] = await load(web());
    const { path } = await images.roots.make('c', image!.id);
    expect(await images.store.remove('registry.example/web:1')).toBe(true);
    expect(await images.store.remove('registry.example/web:1')).toBe(false);
    expect(await readFile(join(path, 'file'), 'utf8')).toBe('one');
    await open();
    expect(await readFile(join((await images.roots.make('c', image!.id)).path, 'file'), 'utf8')).toBe('one');
    await images.roots.remove('c');
    expect(await readdir(join(scratch, 'images', 'layers'))).toEqual([]);
  });

  it('prunes what is neither pinned nor in use', async () => {
    await open({ pinnedImages: ['registry.example/pause'] });
    const [pause] = await load(web('pause', 'registry.example/pause:latest'));
    const [used] = await load(web('used', 'registry.example/used:1'));
    const [kept] = await load(web('kept', 'registry.example/kept:1'));
    const [unused] = await load(web('unused', 'registry.example/unused:1'));
    await images.roots.make('c', used!.id);
    await images.store.pin('registry.example/kept:1');
    expect((await images.store.find(pause!.id))?.isPinned).toBe(true);
    expect((await images.prune()).removed.map(({ id }) => id)).toEqual([unused!.id]);
    expect(new Set(images.store.list().map(({ id }) => id))).toEqual(new Set([pause!.id, used!.id, kept!.id]));
    await images.store.pin('registry.example/kept:1', false);
    expect((await images.prune()).removed.map(({ id }) => id)).toEqual([kept!.id]);
  });

  it('forgets an image of which a crash of the machine took something', async () => {
    const [one] = await load(web('one'));
    const [two] = await load(web('two', 'registry.example/two:1'));
    const [three] = await load(web('three', 'registry.example/three:1'));
    await images.close();
    const root = join(scratch, 'images');
    // Its layer was never written to the disk, and the machine has booted since.
    const layer = join(root, 'layers', one!.configuration.diffIds[0]!.slice(7), 'layer.json');
    const record = JSON.parse(await readFile(layer, 'utf8')) as object;
    await writeFile(layer, JSON.stringify({ ...record, isOnDisk: false, bootId: 'another' }));
    await writeFile(join(root, 'blobs/sha256', two!.id.slice(7)), 'damaged');
    await open();
    expect(images.store.list().map(({ id }) => id)).toEqual([three!.id]);
    expect(await readdir(join(root, 'layers'))).toEqual([three!.configuration.diffIds[0]!.slice(7)]);
    expect((await load(web('one')))[0]?.id).toBe(one!.id);
  });

  it('unpacks layers again for another way to join them', async () => {
    const [image] = await load(web());
    await images.close();
    const layer = join(scratch, 'images', 'layers', image!.configuration.diffIds[0]!.slice(7), 'layer.json');
    const record = JSON.parse(await readFile(layer, 'utf8')) as object;
    await writeFile(layer, JSON.stringify({ ...record, opaqueAttribute: 'user.overlay.opaque' }));
    await open();
    expect(images.store.list()).toEqual([]);
    expect((await load(web()))[0]).toEqual(image);
  });

  it('refuses to open records of a later version', async () => {
    await images.close();
    await writeFile(join(scratch, 'images', 'images.json'), '{"version":2,"images":[]}');
    await expect(open()).rejects.toThrow(/unknown format/);
    await rm(join(scratch, 'images', 'images.json'));
    await open();
  });

  it('ends a load when it is aborted', async () => {
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await expect(images.store.load(inChunks(web()), { signal: stop.signal })).rejects.toThrow('enough');
  });

  it('answers the calls of CRI', async () => {
    const { images: service } = runtimeInProcess({}, images.service);
    const [image] = await load(web());
    const name = 'registry.example/web:1';
    const expected = {
      id: image!.id,
      repoTags: [name],
      repoDigests: [],
      size: image!.size,
      username: 'web',
      pinned: false,
    };
    expect((await service.listImages({})).images).toEqual([expected]);
    expect((await service.listImages({ filter: { image: { image: name } } })).images).toEqual([expected]);
    expect((await service.listImages({ filter: { image: { image: 'none' } } })).images).toEqual([]);
    const { image: status, info } = await service.imageStatus({ image: { image: name }, verbose: true });
    expect(status).toEqual(expected);
    const { chainID, imageSpec } = JSON.parse(info.info ?? '') as { chainID: string; imageSpec: { config: object } };
    expect(chainID).toBe(image!.configuration.diffIds[0]);
    expect(imageSpec.config).toMatchObject({ User: 'web:staff' });
    expect(await service.imageStatus({ image: { image: 'none' } })).toEqual({ info: {} });
    const { imageFilesystems, containerFilesystems } = await service.imageFsInfo({});
    expect(imageFilesystems[0]).toMatchObject({
      fsId: { mountpoint: join(scratch, 'images') },
      usedBytes: { value: 4096 },
      inodesUsed: { value: 1 },
    });
    expect(containerFilesystems).toHaveLength(1);
    await expect(service.pullImage({ image: { image: 'Not a name' } })).rejects.toMatchObject({
      code: 'Unknown',
      details: 'failed to parse image reference "Not a name": invalid reference format',
    });
    await service.removeImage({ image: { image: name } });
    await service.removeImage({ image: { image: name } });
    expect((await service.listImages({})).images).toEqual([]);
  });
});
