import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archiveOf, unpackProblem } from '../src/layers/archives.test-data.ts';
import { type Images, openImages } from '../src/open-images.ts';
import { type ScriptedRegistry, startScriptedRegistry } from './scripted-registry.ts';
import { digestOf, indexOf, machineArchitecture, type TestImage, testImage } from './test-image.ts';

if (unpackProblem) console.warn(`SKIPPED: pulls from hostile and broken registries. ${unpackProblem}`);

describe.skipIf(unpackProblem)('a registry that is broken or hostile (needs root)', () => {
  let scratch: string;
  let images: Images;
  let registry: ScriptedRegistry;
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'cox-hostile-registry-'));
    registry = await startScriptedRegistry();
    images = await openImages({ root: join(scratch, 'images'), limits: { manifestBytes: 20_000, indexDepth: 3 } });
  });
  afterEach(async () => {
    await images.close();
    await registry.close();
    await rm(scratch, { recursive: true });
  });

  const image = async (content: string | Buffer = 'content'): Promise<TestImage> =>
    testImage({
      layers: [await archiveOf([{ path: 'file', content }])],
      compress: (layer) => layer,
      layerType: 'application/vnd.oci.image.layer.v1.tar',
    });
  const pull = (reference = ':1') => images.store.pull(`${registry.host}/team/web${reference}`);
  const leftovers = async (): Promise<string[]> => {
    const below = async (name: string) => (await readdir(join(scratch, 'images', name))).map((it) => `${name}/${it}`);
    return [...(await below('layers')), ...(await below('blobs/sha256')), ...(await below('roots'))];
  };
  const document = (value: object, mediaType = 'application/vnd.oci.image.manifest.v1+json') => {
    const content = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, ...value }));
    return { digest: digestOf(content), mediaType, content };
  };
  /** An image whose last manifest is another one. */
  const changed = (from: TestImage, value: object, mediaType?: string): TestImage => ({
    ...from,
    manifests: [...from.manifests, document(value, mediaType)],
  });

  const layerOf = (it: TestImage): string => [...it.blobs.keys()].find((digest) => digest !== it.id)!;

  it('whose connection is cut is asked for the rest, and nothing is downloaded twice', async () => {
    const large = await image(randomBytes(3_000_000));
    registry.add('1', large);
    const digest = layerOf(large);
    const blob = large.blobs.get(digest)!;
    let cuts = 0;
    let sent = 0;
    registry.script = (request, response, kind, reference) => {
      if (kind !== 'blobs' || reference !== digest) return false;
      const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const part = blob.subarray(start, start + 1_000_000);
      response.writeHead(start > 0 ? 206 : 200, {
        'Content-Length': blob.length - start,
        ...(start > 0 && { 'Content-Range': `bytes ${start}-${blob.length - 1}/${blob.length}` }),
      });
      sent += part.length;
      if (start + part.length === blob.length) response.end(part);
      else response.write(part, () => setTimeout(() => response.destroy(), 100));
      cuts++;
      return true;
    };
    expect((await pull()).id).toBe(large.id);
    expect(cuts).toBeGreaterThan(2);
    expect(sent).toBeLessThan(blob.length + 300_000);
  });

  it('that was interrupted is continued by the next pull, even by another process', async () => {
    const large = await image(randomBytes(2_000_000));
    registry.add('1', large);
    const digest = layerOf(large);
    const blob = large.blobs.get(digest)!;
    const stop = new AbortController();
    registry.script = (_, response, kind, reference) => {
      if (kind !== 'blobs' || reference !== digest) return false;
      response.writeHead(200, { 'Content-Length': blob.length }).write(blob.subarray(0, 1_200_000), () => {
        setTimeout(() => stop.abort(new Error('enough')), 100);
      });
      return true;
    };
    await expect(images.store.pull(`${registry.host}/team/web:1`, { signal: stop.signal })).rejects.toThrow('enough');
    await images.close();
    images = await openImages({ root: join(scratch, 'images') });
    registry.script = () => false;
    registry.requests.length = 0;
    await pull();
    const [request = ''] = registry.requests.filter((it) => it.startsWith(`GET blobs ${digest}`));
    const start = Number(/bytes=(\d+)-/.exec(request)?.[1]);
    expect(start).toBeGreaterThan(1_000_000);
    expect(await readdir(join(scratch, 'images', 'downloads'))).toEqual([]);
  });

  it('that sends a part that was damaged on disk is asked again from the beginning', async () => {
    const good = await image(randomBytes(500_000));
    registry.add('1', good);
    const digest = layerOf(good);
    await images.close();
    await writeFile(join(scratch, 'images', 'downloads', digest.slice(7)), Buffer.alloc(100_000, 1));
    images = await openImages({ root: join(scratch, 'images') });
    expect((await pull()).id).toBe(good.id);
    expect(registry.requests.filter((it) => it.startsWith(`GET blobs ${digest}`))).toHaveLength(2);
  });

  it.each<[string, (it: TestImage) => (kind: string, reference: string) => Buffer | undefined, RegExp]>([
    [
      'another layer',
      (it) => (kind, reference) =>
        kind === 'blobs' && reference === layerOf(it) ? flipped(it.blobs.get(reference)!) : undefined,
      /unexpected digest|diff id/,
    ],
    [
      'a longer layer',
      (it) => (kind, reference) =>
        kind === 'blobs' && reference === layerOf(it)
          ? Buffer.concat([it.blobs.get(reference)!, Buffer.alloc(10_000_000)])
          : undefined,
      /is larger than/,
    ],
    [
      'another configuration',
      (it) => (kind, reference) =>
        kind === 'blobs' && reference === it.id ? flipped(it.blobs.get(reference)!) : undefined,
      /unexpected digest .* of the configuration/,
    ],
    [
      'another manifest',
      (it) => (kind, reference) =>
        kind === 'manifests' && reference.startsWith('sha256') ? flipped(it.manifests[0]!.content) : undefined,
      /unexpected digest of the manifest/,
    ],
    [
      'a manifest without end',
      () => (kind, reference) =>
        kind === 'manifests' && reference.startsWith('sha256') ? Buffer.alloc(10_000_000, ' ') : undefined,
      /is larger than 20000 bytes/,
    ],
  ])('that sends %s than was asked for gives no image', async (_, script, message) => {
    const good = await image();
    registry.add('1', good);
    const change = script(good);
    registry.script = (request, response, kind, reference) => {
      const content = request.method === 'GET' ? change(kind, reference) : undefined;
      if (!content) return false;
      response.writeHead(200, { 'Content-Type': good.manifests[0]!.mediaType }).end(content);
      return true;
    };
    await expect(pull()).rejects.toThrow(message);
    expect(images.store.list()).toEqual([]);
    expect(await leftovers()).toEqual([]);
  });

  it('that sends a layer without end is left', async () => {
    const good = await image();
    registry.add('1', good);
    let isOpen = true;
    registry.script = (_, response, kind, reference) => {
      if (kind !== 'blobs' || reference !== layerOf(good)) return false;
      const chunk = Buffer.alloc(65536, 7);
      const more = (): void => {
        while (isOpen && response.write(chunk)) {}
      };
      response.on('drain', more);
      response.on('close', () => {
        isOpen = false;
      });
      more();
      return true;
    };
    await expect(pull()).rejects.toThrow(/is larger than/);
    await expect.poll(() => isOpen).toBe(false);
    expect(await leftovers()).toEqual([]);
  });

  it('whose diff id is not that of the layer gives no image', async () => {
    const layers = [await archiveOf([{ path: 'file', content: 'one' }])];
    const good = testImage({ layers });
    const config = {
      architecture: machineArchitecture,
      os: 'linux',
      rootfs: { type: 'layers', diff_ids: [digestOf(Buffer.from('else'))] },
    };
    const content = Buffer.from(JSON.stringify(config));
    const bad: TestImage = { ...good, blobs: new Map([...good.blobs, [digestOf(content), content]]) };
    const manifest = JSON.parse(good.manifests[0]!.content.toString('utf8')) as { readonly config: object };
    registry.add(
      '1',
      changed(bad, { ...manifest, config: { ...manifest.config, digest: digestOf(content), size: content.length } }),
    );
    await expect(pull()).rejects.toThrow(/wrong diff id/);
    expect(await leftovers()).toEqual([]);
  });

  it.each<[string, object, RegExp]>([
    ['no layers', { config: {} }, /no layers/],
    ['layers and manifests', { config: {}, layers: [], manifests: [] }, /ambiguous/],
    [
      'a digest that is a path',
      { config: { digest: 'sha256:../../../etc/passwd', size: 1 }, layers: [] },
      /invalid digest/,
    ],
    [
      'a digest of another kind',
      { config: { digest: `md5:${'a'.repeat(32)}`, size: 1 }, layers: [] },
      /invalid digest/,
    ],
    ['a size that is none', { config: { digest: digestOf(Buffer.from('')), size: 1e30 }, layers: [] }, /invalid size/],
    ['the first schema', { schemaVersion: 1, config: {}, layers: [] }, /schema version 1/],
    [
      'something that is no image',
      {
        config: { mediaType: 'application/vnd.cncf.helm.config.v1+json', digest: digestOf(Buffer.from('')), size: 1 },
        layers: [],
      },
      /unsupported configuration media type/,
    ],
    [
      'encrypted layers',
      {
        config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: digestOf(Buffer.from('')), size: 1 },
        layers: [
          {
            mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip+encrypted',
            digest: digestOf(Buffer.from('')),
            size: 1,
          },
        ],
      },
      /unsupported layer media type/,
    ],
  ])('whose manifest has %s gives no image', async (_, value, message) => {
    registry.add('1', changed(await image(), value));
    await expect(pull()).rejects.toThrow(message);
    expect(images.store.list()).toEqual([]);
  });

  it('whose indexes lead to each other without end gives no image', async () => {
    // Real digests cannot form a circle, so the registry makes up one index after the other.
    const mediaType = 'application/vnd.oci.image.index.v1+json';
    const first = document({ manifests: [] }, mediaType);
    let next = first;
    const chain = Array.from({ length: 10 }, () => {
      const { digest, content } = next;
      next = document({ manifests: [{ mediaType, digest, size: content.length }] }, mediaType);
      return next;
    });
    registry.add('1', { ...(await image()), manifests: chain });
    await expect(pull()).rejects.toThrow(/indexes in each other/);
    const wide = document(
      {
        manifests: chain
          .slice(0, 1)
          .flatMap(({ digest, content }) =>
            Array.from({ length: 90 }, () => ({ mediaType, digest, size: content.length })),
          ),
      },
      mediaType,
    );
    registry.add('2', { ...(await image()), manifests: [first, ...chain, wide] });
    await expect(pull(':2')).rejects.toThrow(/too many manifests/);
  });

  it('that has nothing for this machine says so', async () => {
    const other = machineArchitecture === 's390x' ? 'amd64' : 's390x';
    registry.add('1', indexOf({ [`linux/${other}`]: await image(), 'windows/amd64': await image() }));
    await expect(pull()).rejects.toMatchObject({
      reason: 'notFound',
      message: expect.stringContaining('no match for platform in manifest: not found'),
    });
  });

  it('that redirects without end, or elsewhere, gives nothing away', async () => {
    const good = await image();
    registry.add('1', good);
    const other = await startScriptedRegistry();
    const seen: (string | undefined)[] = [];
    other.add('1', good);
    other.script = (request) => {
      seen.push(request.headers.authorization);
      return false;
    };
    const auth = { username: 'me', password: 'hush' };
    registry.script = (request, response, kind, reference) => {
      if (request.headers.authorization === undefined) {
        response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="r"' }).end();
        return true;
      }
      if (kind !== 'blobs') return false;
      response.writeHead(307, { Location: `http://${other.host}/v2/x/blobs/${reference}` }).end();
      return true;
    };
    expect((await images.store.pull(`${registry.host}/team/web:1`, { auth })).id).toBe(good.id);
    expect(seen).toEqual([undefined, undefined]);
    await other.close();
    registry.script = (request, response) => {
      response.writeHead(302, { Location: request.url ?? '' }).end();
      return true;
    };
    await expect(pull()).rejects.toThrow(/stopped after 10 redirects/);
  });
});

function flipped(content: Buffer): Buffer {
  const copy = Buffer.from(content);
  copy[copy.length >> 1] = copy[copy.length >> 1]! ^ 1;
  return copy;
}
