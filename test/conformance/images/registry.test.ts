import { execFile } from 'node:child_process';
import { access, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ImageStore, type Manifest } from './image-store.ts';
import { type Registry, startRegistry } from './registry.ts';

const run = promisify(execFile);
const hasSkopeo = await access('/usr/bin/skopeo').then(
  () => true,
  () => false,
);
if (!hasSkopeo) console.warn('skopeo is not installed: no real client pulls from the registry (Debian: skopeo)');

let directory: string;
let store: ImageStore;
let registry: Registry;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'registry-'));
  store = await ImageStore.open(join(directory, 'images'));
  const tar = (text: string) => Readable.from([Buffer.from(text.padEnd(1000)), Buffer.alloc(536)]);
  const one = await store.addLayer(tar('one'));
  const two = await store.addLayer(tar('two'));
  await store.addImage({
    names: ['registry.example/a/b:1', 'registry.example/a/b:2'],
    recipe: 'r',
    layers: [one],
    config: {},
  });
  await store.addImage({ names: ['other.example/a/b:1'], recipe: 's', layers: [one, two], config: { User: '7' } });
  registry = await startRegistry({ directory: store.directory, host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await registry?.close();
  await rm(directory, { recursive: true, force: true });
});

const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${registry.port}${path}`, { method });

describe('the registry', () => {
  it('speaks version 2 of the protocol', async () => {
    const answer = await ask('/v2/');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('docker-distribution-api-version')).toBe('registry/2.0');
  });

  it('serves a manifest by tag and by digest, with its type and digest', async () => {
    const byTag = await ask('/v2/a/b/manifests/1?ns=registry.example');
    const digest = byTag.headers.get('docker-content-digest');
    expect(byTag.headers.get('content-type')).toBe('application/vnd.oci.image.manifest.v1+json');
    const byDigest = await ask(`/v2/a/b/manifests/${digest}`);
    expect(await byDigest.json()).toEqual(await byTag.json());
    const otherTag = await ask('/v2/a/b/manifests/2');
    expect(otherTag.headers.get('docker-content-digest')).toBe(digest);
  });

  it('tells the registries apart whose images it has', async () => {
    const answer = await ask('/v2/a/b/manifests/1?ns=other.example');
    const manifest: Manifest = JSON.parse(await answer.text());
    expect(manifest.layers).toHaveLength(2);
  });

  it('serves the blobs of an image, and their size without their content', async () => {
    const manifest: Manifest = JSON.parse(await (await ask('/v2/a/b/manifests/1')).text());
    const [layer] = manifest.layers;
    const content = await (await ask(`/v2/a/b/blobs/${layer!.digest}`)).arrayBuffer();
    expect(content.byteLength).toBe(layer!.size);
    const head = await ask(`/v2/a/b/blobs/${layer!.digest}`, 'HEAD');
    expect(head.headers.get('content-length')).toBe(String(layer!.size));
    expect(await head.text()).toBe('');
  });

  it('serves an image that was added after its start', async () => {
    await store.addImage({ names: ['registry.example/late:1'], recipe: 'r', layers: [], config: {} });
    expect((await ask('/v2/late/manifests/1')).status).toBe(200);
  });

  const foreign = async () => (await store.read(store.find('other.example/a/b:1')!)).manifest.layers[1]!.digest;
  it('does not serve a blob of another repository', async () => {
    expect((await ask(`/v2/late/blobs/${await foreign()}`)).status).toBe(404);
  });

  it.each([
    ['/v2/a/b/manifests/3', 'MANIFEST_UNKNOWN'],
    ['/v2/a/b/manifests/1?ns=invalid.example', 'NAME_UNKNOWN'],
    ['/v2/none/manifests/1', 'NAME_UNKNOWN'],
    [`/v2/a/b/blobs/sha256:${'0'.repeat(64)}`, 'BLOB_UNKNOWN'],
    ['/v2/a/b/blobs/..%2F..%2Findex.json', 'BLOB_UNKNOWN'],
    ['/v2/../../etc/passwd', 'NOT_FOUND'],
  ])('answers %s with 404 and %s', async (path, code) => {
    const answer = await ask(path);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ errors: [{ code }] });
  });

  it('is only for reading', async () => {
    expect((await ask('/v2/a/b/blobs/uploads/', 'POST')).status).toBe(405);
  });

  it.skipIf(!hasSkopeo)('is pulled from by skopeo', async () => {
    const target = join(directory, 'pulled');
    const source = `docker://127.0.0.1:${registry.port}/a/b:1`;
    await run('skopeo', ['--insecure-policy', 'copy', '--src-tls-verify=false', source, `dir:${target}`]);
    const pulled: Manifest = JSON.parse(await readFile(join(target, 'manifest.json'), 'utf8'));
    const { manifest } = await store.read(store.find('registry.example/a/b:1')!);
    expect(pulled).toEqual(manifest);
  });
});

describe('the store', () => {
  it('has its images again after it was opened anew', async () => {
    const again = await ImageStore.open(store.directory);
    expect(again.find('registry.example/a/b:2')).toEqual(store.find('registry.example/a/b:2'));
    expect(again.find('registry.example/a/b:2')?.recipe).toBe('r');
  });

  it('keeps a layer of two images once, and deletes what no image has', async () => {
    const path = await mkdtemp(join(directory, 'pruned-'));
    const own = await ImageStore.open(path);
    const [shared, single] = [await own.addLayer(Readable.from(['s'])), await own.addLayer(Readable.from(['t']))];
    await own.addImage({ names: ['r.example/a:1'], recipe: '', layers: [shared], config: {} });
    await own.addImage({ names: ['r.example/b:1'], recipe: '', layers: [shared, single], config: {} });
    const blobs = async () => (await readdir(join(path, 'blobs', 'sha256'))).length;
    expect(await blobs()).toBe(6);
    await own.prune(['r.example/a:1']);
    expect(await blobs()).toBe(3);
    expect((await ImageStore.open(path)).images.map(({ name }) => name)).toEqual(['r.example/a:1']);
  });

  it('refuses a digest that is none, which could be a path', () => {
    expect(() => store.pathOf('sha256:../../index.json')).toThrow('is not a SHA-256 digest');
  });
});
